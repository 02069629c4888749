#!/usr/bin/python3 -B
"""Drags a rank to a node on the page of a job, and waits until it is there: drag.py URL TOKEN_FILE RANK NODE"""

import sys

from browser import Browser

url, token_file, rank, node = sys.argv[1:]
browser = Browser.of_job(url, token_file)
try:
    browser.drag(int(rank), node)
    browser.answer("yes")
    browser.await_text("tbody [data-migration='1']", "done")
finally:
    browser.close()
