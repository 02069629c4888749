#!/usr/bin/python3 -B
"""Adds a node on the page of a job, and drags a rank there: add.py URL TOKEN_FILE NODE RANK"""

import sys

from browser import Browser

url, token_file, node, rank = sys.argv[1:]
browser = Browser.of_job(url, token_file)
try:
    browser.one("#added-node-job").send_keys(node)
    browser.click("[data-name=add]")
    browser.answer("yes")
    browser.await_text("tbody [data-migration='1']", "done")
    browser.await_text("tbody [data-migration='1']", f"add {node}")
    browser.drag(int(rank), node)
    browser.answer("yes")
    browser.await_text("tbody [data-migration='2']", "done")
finally:
    browser.close()
