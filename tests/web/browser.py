"""Debian's Chromium, driven by Selenium, for the tests of the page."""

import shutil
import sys
import tempfile

SKIPPED = 77
TIMEOUT_S = 60

try:
    from selenium import webdriver
    from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException
    from selenium.webdriver import ActionChains
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import WebDriverWait
except ImportError:
    print("skipped: python3-selenium is not installed")
    sys.exit(SKIPPED)

for program in ("chromium", "chromedriver"):
    if shutil.which(program) is None:
        print(f"skipped: {program} is not installed")
        sys.exit(SKIPPED)

# What a browser does on its own account is turned off: it asks for updates, and root cannot have its sandbox.
OPTIONS = ("--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
           "--disable-component-update --disable-sync --disable-dev-shm-usage --ignore-certificate-errors "
           "--force-color-profile=srgb --lang=en").split()


class Browser:
    """A browser with a profile of its own."""

    def __init__(self, width=1100, height=900):
        self.profile = tempfile.mkdtemp(prefix="cppc-browser-")
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        for option in (*OPTIONS, f"--user-data-dir={self.profile}", f"--window-size={width},{height}"):
            options.add_argument(option)
        options.add_experimental_option("prefs", {"download.default_directory": self.profile})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)

    @classmethod
    def of_job(cls, url, token_file):
        """With the page of a job, logged in."""
        browser = cls()
        try:
            browser.driver.get(url)
            with open(token_file, encoding="ascii") as file:
                browser.log_in(file.read().strip())
            browser.await_text("#connection", "Live")
        except BaseException:
            browser.close()
            raise
        return browser

    def close(self):
        self.driver.quit()
        shutil.rmtree(self.profile, ignore_errors=True)

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector):
        """Of all elements that it selects; the page may be changing them."""
        return self.driver.execute_script(
            "return [...document.querySelectorAll(arguments[0])].map((one) => one.innerText).join('\\n')", selector)

    def wait(self, what, condition):
        timeout = WebDriverWait(self.driver, TIMEOUT_S, poll_frequency=0.02,
                                 ignored_exceptions=(NoSuchElementException, StaleElementReferenceException))
        timeout.until(lambda _: condition(), what)

    def await_text(self, selector, text):
        self.wait(f"{text} in {selector}", lambda: text in self.text(selector))

    def steady(self, look):
        """What `look` returns, once the page does not take the elements away that it looks at."""
        seen = []
        self.wait("a page that stands still", lambda: seen.append(look()) or True)
        return seen[-1]

    def click(self, selector):
        self.steady(lambda: self.one(selector).click())

    def press(self, keys):
        """To whatever has the focus."""
        ActionChains(self.driver).send_keys(keys).perform()

    def focused(self):
        return self.steady(lambda: self.driver.switch_to.active_element.accessible_name)

    def log_in(self, token):
        field = self.one("#token")
        field.clear()
        field.send_keys(token)
        self.one("#login button").click()

    def drag(self, rank, node, within=""):
        """Until the page asks whether that is meant: when something else has moved the node away, nothing comes of it."""
        self.wait(f"a drag to {node}",
                  lambda: self.dialog_is_open() or self.drag_once(rank, node, within) or self.dialog_is_open())

    def drag_once(self, rank, node, within):
        chip = self.one(f"{within} [data-name=rank-{rank}]")
        card = self.one(f"{within} .card:has(.ranks)[data-node={node}]")
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", chip)
        try:
            ActionChains(self.driver).drag_and_drop(chip, card).perform()
        except StaleElementReferenceException:
            ActionChains(self.driver).reset_actions()
            raise

    def dialog_is_open(self):
        return self.one("#dialog").get_attribute("open") is not None

    def answer(self, button):
        """Of the dialog: "yes" or "no"."""
        self.wait("a dialog", self.dialog_is_open)
        self.one(f"#dialog-{button}").click()

    def set_width(self, width, height=800):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": True})

    def usual_width(self):
        self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def overflow(self):
        """By how much the page is wider than the window."""
        return self.driver.execute_script("return document.documentElement.scrollWidth - window.innerWidth")

    def without_name(self):
        """What can be used, and has no name for a screen reader."""
        used = "button, input, select, ul, ol, table, progress, dialog"
        return self.steady(lambda: [one.get_attribute("outerHTML") for one in self.all(used)
                                    if one.is_displayed() and not one.accessible_name])

    def violations(self):
        """What the page's policy has forbidden, and errors of its scripts."""
        return [one["message"] for one in self.driver.get_log("browser")
                if "Content Security Policy" in one["message"] or "Uncaught" in one["message"]]
