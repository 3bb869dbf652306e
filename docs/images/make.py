"""Take the README's pictures of a report: `make demo`, then `python docs/images/make.py`."""

import shutil
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SHOTS = (
    ("report.png", "#lang=en", (1280, 860), "light"),
    ("report-question.png", "#q=zh-01-q1-pos", (1280, 860), "light"),
    ("report-phone.png", "#q=zh-01-q1-pos", (390, 800), "dark"),
)


def main(page: Path) -> None:
    """Photograph one report page."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=chromium, args=["--headless=new", "--no-sandbox", "--disable-gpu"]
        )
        for name, fragment, (width, height), scheme in SHOTS:
            context = browser.new_context(
                viewport={"width": width, "height": height}, color_scheme=scheme
            )
            tab = context.new_page()
            tab.goto(page.resolve().as_uri() + fragment)
            tab.screenshot(path=HERE / name)
            context.close()
            # A palette that keeps rare colours: a third of the size, and wrong stays orange.
            picture = Image.open(HERE / name).convert("RGB")
            picture = picture.quantize(255, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
            picture.save(HERE / name, optimize=True)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "runs/quickstart/report.html")
