#!/usr/bin/python3 -B
"""The page in a real browser: page_test.py PAGE_SCENE [--screenshot FILE]"""

import json
import os
import ssl
import subprocess
import sys
import unittest
import urllib.error
import urllib.request

from browser import Browser
from selenium.webdriver.common.keys import Keys

POLICY = "default-src 'self'"
JOB = "heat-1f3a5b7d"


class Scene:
    """The servers, which do as they are told."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.places = json.loads(self.process.stdout.readline())
        self.token = self.places["token"]

    def tell(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "ok\n", command

    def ask(self, server, path, headers=None, body=None):
        request = urllib.request.Request(self.places[server] + path, headers=headers or {}, data=body)
        try:
            return urllib.request.urlopen(request, context=ssl._create_unverified_context(), timeout=60)
        except urllib.error.HTTPError as refused:
            return refused

    def notice(self, node, **more):
        said = {"source": "ipmi", "key": node, "node": node, "reason": "fan 3 fails", **more}
        answer = self.ask("health", "v1/notices", {"Authorization": f"Bearer {self.token}"}, json.dumps(said).encode())
        assert answer.status == 200, answer.status

    def end(self):
        self.process.stdin.close()
        self.process.wait(60)
        self.process.stdout.close()


class PageTest(unittest.TestCase):
    """One browser and one pair of servers for all: the tests are steps, in the order of their names."""

    @classmethod
    def setUpClass(cls):
        cls.scene = Scene(PROGRAM)
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.scene.end()

    def check_headers(self, server):
        for path in ("", "page.js", "page.css"):
            headers = self.scene.ask(server, path).headers
            self.assertTrue(headers["Content-Security-Policy"].startswith(POLICY), path)
            self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        self.assertEqual(self.scene.ask(server, "v1/events").status, 401)

    def check_phone(self):
        self.browser.set_width(375)
        self.assertLessEqual(self.browser.overflow(), 0)
        self.browser.usual_width()

    def ranks_on(self, node):
        return self.browser.text(f".card:has(.ranks)[data-node={node}] .rank").split()

    def tab_to(self, name):
        """Goes on with the keyboard until what has the focus has this name."""
        for _ in range(60):
            if self.browser.focused() == name:
                return
            self.browser.press(Keys.TAB)
        self.fail(f"{name} is not reached by the keyboard")

    def test_01_the_page_has_its_policy_and_nothing_else_is_served(self):
        self.check_headers("job")

    def test_02_it_asks_for_the_token(self):
        self.browser.driver.get(self.scene.places["job"])
        self.browser.await_text("#login", "Log in")
        self.assertEqual(self.browser.text("#content"), "")
        self.assertEqual(self.browser.without_name(), [])

    def test_03_a_wrong_token_is_refused(self):
        self.browser.log_in("x" * 32)
        self.browser.await_text("#problem", "This is not the token.")
        self.assertEqual(self.browser.one("#problem").aria_role, "alert")
        self.assertEqual(self.browser.driver.switch_to.active_element, self.browser.one("#token"))

    def test_04_the_token_shows_nodes_and_ranks(self):
        self.browser.log_in(self.scene.token)
        self.browser.await_text("#connection", "Live")
        self.browser.await_text("#subject", f"Job {JOB}: running")
        self.browser.wait("ranks on node1", lambda: self.ranks_on("node1") == ["2", "3"])
        self.assertEqual(self.ranks_on("node2"), [])
        self.assertEqual(self.browser.text("#problem"), "")
        self.assertFalse(self.browser.one("#login").is_displayed())
        self.assertEqual(self.browser.one("#token").get_attribute("value"), "")
        self.assertIn("None.", self.browser.text("#content"))

    def test_05_the_cookie_is_for_the_server_alone(self):
        cookie, = self.browser.driver.get_cookies()
        self.assertTrue(cookie["httpOnly"] and cookie["secure"])
        self.assertEqual(cookie["sameSite"], "Strict")
        answer = self.scene.ask("job", "v1/job", {"Cookie": f"{cookie['name']}={cookie['value']}"})
        self.assertEqual(answer.status, 401, "without the other secret")

    def test_06_it_stays_logged_in_when_it_is_loaded_again(self):
        self.browser.driver.refresh()
        self.browser.await_text("#connection", "Live")
        self.browser.await_text(".card", "node2")

    def test_07_a_drag_asks_before_it_moves(self):
        self.browser.drag(3, "node2")
        self.browser.await_text("#dialog", "Move rank 3 to node2?")
        self.browser.answer("no")
        self.assertEqual(self.browser.text("#running-job + ul"), "")

    def test_08_a_drag_moves_a_rank_and_its_progress_is_shown(self):
        self.browser.drag(3, "node2")
        self.browser.answer("yes")
        self.scene.tell("take")
        self.browser.await_text("[data-migration='1']", "rank 3 from node1 to node2")
        self.scene.tell("ship 3 16")
        self.browser.await_text("[data-migration='1']", "ship: 16 MB of 64 MB")
        self.scene.tell("ship 3 32")
        self.browser.await_text("[data-migration='1']", "MB/s")
        self.assertIn("s left", self.browser.text("[data-migration='1']"))
        self.assertEqual(self.browser.one("[data-migration='1'] progress").get_attribute("value"), "32000000")
        self.browser.wait("a rank that moves", lambda: self.browser.all("[data-name=rank-3].moving"))
        self.assertEqual(self.browser.without_name(), [])
        self.check_phone()

    def test_09_the_end_is_told_and_kept(self):
        self.scene.tell("obey")
        self.browser.await_text("tbody [data-migration='1']", "done")
        self.browser.await_text("#news", "Migration 1, rank 3 from node1 to node2: done")
        self.assertEqual(self.browser.one("#news").aria_role, "status")
        self.browser.wait("rank 3 on node2", lambda: self.ranks_on("node2") == ["3"])
        self.assertEqual(self.ranks_on("node1"), ["2"])
        self.assertIn("64 MB", self.browser.text("tbody [data-migration='1']"))

    def test_09_traces_are_saved(self):
        self.browser.click("tbody [data-migration='1'] [data-name=trace]")
        saved = os.path.join(self.browser.profile, f"{JOB}-migration-1.json")
        self.browser.wait(saved, lambda: os.path.exists(saved))
        with open(saved, encoding="utf-8") as file:
            self.assertEqual(json.load(file)["otherData"]["migration"], "1")

    def test_10_what_is_refused_is_said(self):
        self.browser.one("#rank-job").send_keys("77")
        self.browser.click("#target-job option[value=node0]")
        self.browser.click(".move button")
        self.browser.answer("yes")
        self.browser.await_text("#problem", "77")

    def test_11_the_keyboard_moves_a_rank(self):
        self.tab_to("Rank 2: choose a node for it")
        self.browser.press(Keys.ENTER)
        self.assertEqual(self.browser.focused(), "to")
        self.browser.press("node2")
        self.tab_to("Move")
        self.browser.press(Keys.ENTER)
        self.browser.await_text("#dialog", "Move rank 2 to node2?")
        self.assertEqual(self.browser.focused(), "Cancel")
        self.tab_to("Move rank 2")
        self.browser.press(Keys.ENTER)
        self.scene.tell("take")
        self.browser.await_text("[data-migration='2']", "rank 2 from node1 to node2")

    def test_12_a_migration_can_be_cancelled(self):
        self.tab_to("Cancel migration 2")
        self.browser.press(Keys.ENTER)
        self.scene.tell("cancelled")
        self.browser.await_text("tbody [data-migration='2']", "failed: given up on request")

    def test_13_escape_is_no(self):
        self.tab_to("Empty node1")
        self.browser.press(Keys.ENTER)
        self.browser.await_text("#dialog", "rank 2 from node1")
        self.browser.press(Keys.ESCAPE)
        self.browser.wait("no dialog", lambda: not self.browser.dialog_is_open())
        self.assertEqual(self.browser.focused(), "Empty node1")
        self.assertEqual(self.browser.all("[data-migration='3']"), [])

    def test_14_the_keyboard_empties_a_node(self):
        self.tab_to("Empty node1")
        self.browser.press(Keys.ENTER)
        self.browser.wait("a dialog", self.browser.dialog_is_open)  # its button has the name of the one that opened it
        self.browser.await_text("#dialog", "node1 is given up")
        self.tab_to("Empty node1")
        self.browser.press(Keys.ENTER)
        self.scene.tell("take")
        self.scene.tell("obey")
        self.browser.await_text("tbody [data-migration='3']", "node1: nothing of this job is left")
        self.browser.await_text("[data-node=node1]", "evacuated, 0 ranks")

    def test_15_a_node_is_added_or_it_is_said_why_not(self):
        self.browser.one("#added-node-job").send_keys("node9:2")
        self.browser.click("[data-name=add]")
        self.browser.await_text("#dialog", "Add node9:2?")
        self.browser.answer("yes")
        self.browser.await_text("#problem", "new nodes need images of all ranks")
        self.browser.click("[data-node=node1] [data-name=restore]")
        self.browser.await_text("#dialog", "Use node1 again?")
        self.browser.answer("yes")
        self.browser.await_text("#problem", "new nodes need images of all ranks")

    def test_15_a_phone_is_wide_enough(self):
        self.check_phone()

    def test_16_nothing_was_against_the_policy(self):
        self.assertEqual(self.browser.violations(), [])

    def test_17_who_logs_out_has_to_log_in_again(self):
        self.browser.click("#logout")
        self.browser.wait("the login", lambda: self.browser.one("#login").is_displayed())
        self.browser.driver.refresh()
        self.browser.await_text("#login", "Log in")
        self.assertEqual(self.browser.text("#content"), "")

    def test_21_cppc_health_has_the_page_too(self):
        self.check_headers("health")
        self.browser.driver.get(self.scene.places["health"])
        self.browser.log_in(self.scene.token)
        self.browser.await_text("#connection", "Live")
        self.browser.await_text("[data-node=node3] .state", "usable")
        self.assertIn("Nothing is wrong.", self.browser.text("#content"))

    def test_22_notices_come_and_what_became_of_them(self):
        self.scene.notice("node3")
        self.browser.await_text("[aria-labelledby=notices]", "node3: fan 3 fails (ipmi, firing, evacuate)")
        self.browser.await_text("[data-node=node3] .state", "emptying")
        self.scene.tell("emptied node3")
        self.browser.await_text("[data-node=node3] .state", "emptied")
        self.browser.await_text("[aria-labelledby=happened]", "safe to power off")

    def test_23_a_node_is_emptied_and_well_again(self):
        self.browser.click(".card:not(:has(.ranks))[data-node=node0] [data-name=empty]")
        self.browser.answer("yes")
        self.browser.await_text("[data-node=node0] .state", "emptying")
        self.scene.tell("emptied node0")
        self.browser.await_text("[data-node=node0] .state", "emptied")
        self.browser.click("[data-node=node0] [data-name=repaired]")
        self.browser.await_text("[data-node=node0] .state", "usable")

    def test_24_ranks_of_jobs_are_moved_there(self):
        self.browser.drag(1, "node2", f"[data-job={JOB}]")
        self.browser.answer("yes")
        self.scene.tell("take")
        self.scene.tell("obey")
        self.browser.await_text(f"[data-job={JOB}] tbody [data-migration='4']", "done")
        self.browser.await_text("[aria-labelledby=happened]", "an operator asks by POST")

    def test_25_it_can_be_used_by_everybody_everywhere(self):
        self.assertEqual(self.browser.without_name(), [])
        self.check_phone()
        self.assertEqual(self.browser.violations(), [])


def screenshot(path):
    """As README has it."""
    scene, browser = Scene(PROGRAM), Browser()
    browser.set_width(1000, 790)
    browser.driver.get(scene.places["job"])
    browser.log_in(scene.token)
    browser.await_text("#connection", "Live")
    browser.drag(3, "node2")
    browser.answer("yes")
    for command in ("take", "ship 3 16", "obey"):
        scene.tell(command)
    browser.await_text("tbody [data-migration='1']", "done")
    browser.drag(2, "node2")
    browser.answer("yes")
    for command in ("take", "ship 2 16", "ship 2 48"):
        scene.tell(command)
    browser.await_text("[data-migration='2']", "s left")
    browser.driver.execute_script("scrollTo(0, 0)")
    browser.driver.save_screenshot(path)
    browser.close()
    scene.end()


if __name__ == "__main__":
    PROGRAM = sys.argv[1]
    if sys.argv[2:3] == ["--screenshot"]:
        screenshot(sys.argv[3])
    else:
        unittest.main(argv=sys.argv[:1] + sys.argv[2:], failfast=True, verbosity=2)
