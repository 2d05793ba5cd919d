"""The page as a person uses it: what is seen, clicked and typed."""

from collections.abc import Callable
from typing import TypeVar

from selenium.common.exceptions import (
    ElementClickInterceptedException,
    NoSuchElementException,
    StaleElementReferenceException,
    TimeoutException,
)
from selenium.webdriver import Chrome
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

from .chromium import WAIT

T = TypeVar("T")
CODE = r"登录码 ([A-Z0-9]{4}-[A-Z0-9]{4})"
"""How the log tells the one-time code."""
_NOT_YET = (NoSuchElementException, StaleElementReferenceException, ElementClickInterceptedException)


class WebPage:
    """A browser at the page of a bot."""

    def __init__(self, driver: Chrome, port: int) -> None:
        self.driver = driver
        self.url = f"http://127.0.0.1:{port}/memoryfs/"

    def open(self, place: str = "") -> None:
        self.driver.get(self.url + place)

    def sign_in(self, code: str) -> None:
        self.open()
        self.find("#code").send_keys(code, Keys.ENTER)
        self.find(".composer textarea")

    def until(self, happens: Callable[[], T | None], what: str) -> T:
        """Wait until something is true; its value."""
        waiting = WebDriverWait(self.driver, WAIT, 0.05, ignored_exceptions=_NOT_YET)
        try:
            return waiting.until(lambda _: happens() or False)  # type: ignore[return-value]
        except TimeoutException:
            raise AssertionError(f"{what}; the page shows:\n{self.text}\n{self.complaints()}") from None

    def find(self, selector: str, text: str = "") -> WebElement:
        """The first element one can see that holds this text, as soon as there is one."""
        return self.until(lambda: self.now(selector, text), f"no {selector} with {text!r}")

    def now(self, selector: str, text: str = "") -> WebElement | None:
        found = self.driver.find_elements(By.CSS_SELECTOR, selector)
        return next((e for e in found if e.is_displayed() and text in e.text), None)

    def gone(self, selector: str, text: str = "") -> None:
        self.until(lambda: self.now(selector, text) is None, f"still {selector} with {text!r}")

    def click(self, selector: str, text: str = "") -> None:
        def clicked() -> bool:
            element = self.now(selector, text)
            if element is None:
                return False
            element.click()
            return True

        self.until(clicked, f"no {selector} with {text!r} to click")

    def say(self, text: str) -> str:
        """Say something to the character; its answer."""
        self.gone(".log .skeleton")
        turns = len(self.driver.find_elements(By.CSS_SELECTOR, ".turn[data-turn]"))
        self.find(".composer textarea").send_keys(text, Keys.ENTER)

        def answered() -> str | None:
            replies = self.driver.find_elements(By.CSS_SELECTOR, ".turn[data-turn] .reply .words")
            return replies[-1].text if len(replies) > turns else None

        return self.until(answered, "no answer")

    def press(self, *keys: str) -> None:
        """Press keys, wherever the focus is."""
        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()

    @property
    def focused(self) -> WebElement:
        return self.driver.switch_to.active_element

    @property
    def text(self) -> str:
        return self.driver.find_element(By.TAG_NAME, "body").text

    def forget_complaints(self) -> None:
        self.complaints()

    def complaints(self) -> list[str]:
        """What the browser complained of: errors of scripts, violations of the CSP."""
        log = self.driver.get_log("browser")  # type: ignore[no-untyped-call]
        return [entry["message"] for entry in log if entry["level"] == "SEVERE"]
