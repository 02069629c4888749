// Logs in, and shows what the server is for.

import {forget, logIn, logOut, server} from './client.js';
import {attempt, byId, complain} from './dom.js';
import {healthView} from './health_view.js';
import {jobView} from './job_view.js';

const views = {'cppc-run': jobView, 'cppc-health': healthView};

function connected(is) {
  byId('connection').textContent = is ? 'Live' : 'No answer: the job may have ended, or the server is away';
}

async function work() {
  byId('login').hidden = true;
  byId('token').value = '';
  byId('logout').hidden = false;
  const view = views[server()];
  await view(byId('content'), connected);
  leave();
}

function leave() {
  byId('content').replaceChildren();
  byId('subject').textContent = '';
  byId('connection').textContent = 'Not logged in';
  byId('logout').hidden = true;
  byId('login').hidden = false;
  byId('token').focus();
}

byId('login').addEventListener('submit', async (event) => {
  event.preventDefault();
  complain('');
  try {
    await logIn(byId('token').value.trim());
  } catch (error) {
    complain(error.status === 401 ? 'This is not the token.' : error.message);
    byId('token').focus();
    return;
  }
  await attempt(work);
});

byId('logout').addEventListener('click', async () => {
  await logOut();
  location.reload();
});

if (views[server()]) {
  attempt(work);
} else {
  forget();
  leave();
}
