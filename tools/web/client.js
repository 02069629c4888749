// Requests to the server that this page is from.

const stored = 'cppc-session';
const pauseAfterLoss = 2000;

let session = JSON.parse(sessionStorage.getItem(stored));

export class Refusal extends Error {
  constructor(status, reason) {
    super(reason);
    this.status = status;
  }
}

async function refusal(answer) {
  const body = await answer.json().catch(() => ({}));
  return new Refusal(answer.status, body.error ?? `status ${answer.status}`);
}

export const server = () => session?.server;

export function forget() {
  session = null;
  sessionStorage.removeItem(stored);
}

export async function logIn(token) {
  if (!/^[\w\-.~+/=]+$/.test(token)) throw new Refusal(401, 'unauthorized');
  const answer = await fetch('/v1/session', {method: 'POST', headers: {Authorization: `Bearer ${token}`}});
  if (!answer.ok) throw await refusal(answer);
  session = await answer.json();
  sessionStorage.setItem(stored, JSON.stringify(session));
}

export async function logOut() {
  await ask('DELETE', '/v1/session').catch(() => {});
  forget();
}

async function send(method, path, body) {
  const headers = {'X-CSRF-Token': session?.csrf ?? ''};
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const answer = await fetch(path, {method, headers, body: JSON.stringify(body), cache: 'no-store'});
  if (answer.status === 401) forget();
  if (!answer.ok) throw await refusal(answer);
  return answer;
}

export async function ask(method, path, body) {
  return (await send(method, path, body)).json();
}

// EventSource cannot send the header that goes with the cookie.
async function* eventsOf(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const {done, value} = await reader.read();
    if (done) return;
    const blocks = (text + value).split('\n\n');
    text = blocks.pop();
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s, 2)));
      if (fields.data) yield {type: fields.event, data: JSON.parse(fields.data)};
    }
  }
}

// Calls load() and then take() with each event, from the beginning whenever the connection has been lost, until somebody
// has to log in again.
export async function follow({load, take, connected}) {
  while (session) {
    try {
      const answer = await send('GET', '/v1/events');
      await load();
      connected(true);
      for await (const event of eventsOf(answer)) take(event);
    } catch (error) {
      if (!(error instanceof TypeError || error instanceof Refusal)) throw error;
    }
    if (!session) return;
    connected(false);
    await new Promise((resolve) => setTimeout(resolve, pauseAfterLoss));
  }
}
