"""Take the documents' pictures: `make demo`, then `python docs/images/make.py`."""

import shutil
import subprocess
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SHOTS = (
    ("report.png", "#lang=en", (1280, 860), "light"),
    ("report-question.png", "#q=zh-01-q1-pos", (1280, 860), "light"),
    ("report-phone.png", "#q=zh-01-q1-pos", (390, 800), "dark"),
)


# The example of the service's page by its place, with the browser's language.
DEMO = (
    ("demo.png", 1, (1280, 900), "light", "en"),
    ("demo-phone.png", 0, (390, 800), "dark", "zh-CN"),
)


def main(page: Path) -> None:
    """Photograph one report page, and the page of a service."""
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
            lighten(HERE / name)
        demo(browser)
        browser.close()


def demo(browser: Browser) -> None:
    """Photograph answers on the page that `closeread serve` shows."""
    service = subprocess.Popen(
        [sys.executable, "-m", "closeread", "serve", "lexical", "--port", "0"],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert service.stdout is not None
    try:
        address = service.stdout.readline().strip()
        for name, example, (width, height), scheme, locale in DEMO:
            context = browser.new_context(
                viewport={"width": width, "height": height}, color_scheme=scheme, locale=locale
            )
            tab = context.new_page()
            tab.goto(address)
            tab.locator(".examples .chip").nth(example).click()
            tab.locator(".took").wait_for()
            tab.mouse.move(0, 0)
            tab.screenshot(path=HERE / name)
            context.close()
            lighten(HERE / name)
    finally:
        service.terminate()
        service.wait()


def lighten(path: Path) -> None:
    """Save a picture with a palette that keeps rare colours: a third of the size."""
    picture = Image.open(path).convert("RGB")
    picture = picture.quantize(255, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    picture.save(path, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "runs/quickstart/report.html")
