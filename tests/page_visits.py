"""Open pages from disk as a person does, for tests in a real browser."""

DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 360, "height": 740}


class Visit:
    """A page in a fresh browser context, with its log and its network requests."""

    def __init__(self, browser, path, fragment="", *, size=None, dark=False, scripts=True):
        self.context = browser.new_context(
            viewport=size or DESKTOP,
            color_scheme="dark" if dark else "light",
            java_script_enabled=scripts,
        )
        self.page = self.context.new_page()
        self.logged, self.asked = [], []
        self.page.on("console", lambda message: self.logged.append(message.text))
        self.page.on("pageerror", lambda error: self.logged.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(path.as_uri() + fragment)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.close()

    def sideways(self):
        """Return by how many pixels the page is wider than the window."""
        return self.page.evaluate("document.documentElement.scrollWidth - innerWidth")

    def text(self, selector):
        return self.page.locator(selector).first.inner_text()
