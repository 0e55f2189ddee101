"""Chromium for the browser tests: loopback only, its requests recorded, axe-core at hand."""

from __future__ import annotations

import json
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

AXE = "axe-core@4"
CACHE = Path.home() / ".cache" / "preceptor-tests"
WAIT_S = 15


class Browser:
    """One Chromium window."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def open(self, address: str) -> None:
        self.driver.get(address)

    def find(self, css: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, css)

    def all(self, css: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, css)

    def click(self, css: str) -> None:
        """Click the first match after bringing it to the middle, clear of bars at the edges."""
        element = self.find(css)
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def text(self, css: str) -> str:
        return str(self.driver.execute_script("return document.querySelector(arguments[0])?.innerText ?? ''", css))

    def count(self, css: str) -> int:
        return int(self.driver.execute_script("return document.querySelectorAll(arguments[0]).length", css))

    def until(self, condition: str, wait_s: float = WAIT_S) -> None:
        """Wait until a JavaScript expression is true."""
        WebDriverWait(self.driver, wait_s, poll_frequency=0.05).until(
            lambda driver: driver.execute_script(f"return Boolean({condition})"), message=condition
        )

    def until_replied(self, turn: int) -> None:
        """Wait until the reply of a turn is whole."""
        item = f"document.querySelector('[data-turn=\"{turn}\"]')"
        self.until(f"{item} && {item}.querySelector('.engine').innerText.trim() && !{item}.querySelector('.waiting')")

    def dark(self, on: bool = True) -> None:
        value = "dark" if on else "light"
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": value}]}
        )

    def size(self, width: int, height: int) -> None:
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 720}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def screenshot(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(path))

    def outside_requests(self) -> list[str]:
        """Return the addresses requested so far that are not on this machine."""
        outside = []
        for entry in self.driver.get_log("performance"):  # type: ignore[no-untyped-call]
            message = json.loads(entry["message"])["message"]
            if message["method"] != "Network.requestWillBeSent":
                continue
            address = message["params"]["request"]["url"]
            parts = urlsplit(address)
            if parts.scheme in {"http", "https", "ws", "wss"} and parts.hostname not in {"127.0.0.1", "localhost"}:
                outside.append(address)
        return outside

    def console_errors(self) -> list[str]:
        entries = self.driver.get_log("browser")  # type: ignore[no-untyped-call]
        return [entry["message"] for entry in entries if entry["level"] == "SEVERE"]

    def axe_violations(self, axe_source: str) -> list[str]:
        """Return "rule: element" for each WCAG 2.2 A or AA violation on the page as it stands."""
        self.driver.execute_script(axe_source)
        tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
        result: Any = self.driver.execute_async_script(
            "const done = arguments[1]; axe.run(document, {runOnly: {type: 'tag', values: arguments[0]}})"
            ".then(r => done(r.violations)).catch(e => done([{id: String(e), nodes: []}]))",
            tags,
        )
        return [
            f"{violation['id']}: {node['target']} {node.get('failureSummary', '')}"
            for violation in result
            for node in violation["nodes"] or [{"target": "?"}]
        ]


def missing_browser() -> str | None:
    """Return what is missing for browser tests, or `None`."""
    missing = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    return f"{' and '.join(missing)} not found" if missing else None


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start Chromium with an empty profile and no way off this machine."""
    with tempfile.TemporaryDirectory(prefix="preceptor-chromium-") as profile:
        options = Options()
        options.binary_location = str(shutil.which("chromium"))
        for flag in (
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            "--window-size=1400,900",
            f"--user-data-dir={profile}",
            "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
        ):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
        service = Service(executable_path=shutil.which("chromedriver"), log_output=subprocess.DEVNULL)
        driver = webdriver.Chrome(options=options, service=service)
        driver.set_script_timeout(60)
        try:
            yield Browser(driver)
        finally:
            driver.quit()


def fetch_axe() -> str | None:
    """Return the source of axe-core, fetched once by npm into a cache outside the project; `None`: not to be had."""
    stored = CACHE / "axe.min.js"
    if stored.exists():
        return stored.read_text(encoding="utf-8")
    npm = shutil.which("npm")
    if npm is None:
        return None
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        packed = subprocess.run(
            [npm, "pack", AXE, "--silent"], cwd=folder, capture_output=True, timeout=120, check=False
        )
        archives = list(Path(folder).glob("axe-core-*.tgz"))
        if packed.returncode != 0 or not archives:
            return None
        with tarfile.open(archives[0]) as archive:
            member = archive.extractfile("package/axe.min.js")
            assert member is not None
            source = member.read()
        fresh = Path(folder) / "axe.min.js"
        fresh.write_bytes(source)
        fresh.replace(stored)
    return source.decode("utf-8")
