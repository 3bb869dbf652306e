"""Take the README's pictures of a report: `make demo`, then `python docs/images/make.py`."""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SHOTS = (
    ("report-overview.png", "#", (1280, 860), "light"),
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
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "runs/quickstart/report.html")
