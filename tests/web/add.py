#!/usr/bin/python3 -B
"""Adds a node on the page of a job, and drags a rank there: add.py URL TOKEN_FILE NODE RANK"""

import sys

from browser import Browser

url, token_file, node, rank = sys.argv[1:]
browser = Browser()
try:
    browser.driver.get(url)
    with open(token_file, encoding="ascii") as file:
        browser.log_in(file.read().strip())
    browser.await_text("#connection", "Live")
    browser.one("#newcomer-job").send_keys(node)
    browser.click("[data-name=add]")
    browser.answer("yes")
    browser.await_text("tbody [data-migration='1']", "done")
    browser.await_text("tbody [data-migration='1']", f"add {node}")
    browser.drag(int(rank), node)
    browser.answer("yes")
    browser.await_text("tbody [data-migration='2']", "done")
finally:
    browser.close()
