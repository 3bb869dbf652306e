"""Use the page of a service as a person does, for tests in a real browser."""

DESKTOP = {"width": 1280, "height": 900}
PHONE = {"width": 360, "height": 740}


def error_reply(status, what, **headers):
    """Return an error reply as the service sends it."""
    error = {"what": what, "where": "", "expected": "less", "cure": "send less"}
    return {"status": status, "json": {"error": error}, "headers": headers}


def ask(page, passage, question, options=()):
    page.get_by_label("Passage", exact=True).fill(passage)
    page.get_by_label("Question", exact=True).fill(question)
    for place, option in enumerate(options):
        if place == 0:
            page.get_by_role("button", name="Add options").click()
        elif place > 1:
            page.get_by_role("button", name="Add an option").click()
        page.get_by_label(f"Option {'ABCDE'[place]}", exact=True).fill(option)
    page.get_by_role("button", name="Answer", exact=True).click()
