// The page of cppc-health: the cluster's nodes, what is wrong with them, what is done about that, and all jobs.

import {ask, follow} from './client.js';
import {attempt, byId, clock, confirmed, element, show, tell} from './dom.js';
import {JobPanel} from './job_view.js';

const mostHappenings = 100;
const betweenLooksAtJobs = 3000;
const mayBeEmptied = new Set(['usable', 'avoided', 'failed', 'expired']);
const changesToTell = new Set(['begun', 'emptied', 'given-up', 'expired', 'held', 'usable']);

function stateOf(node) {
  const {evacuation} = node;
  if (!evacuation) return node.avoid ? 'avoided' : 'usable';
  return evacuation.stage === 'running' ? 'emptying' : evacuation.stage;
}

const notice = (node, more) => ({source: 'manual', key: node, node, ...more});

class HealthPanel {
  constructor(place) {
    this.state = {nodes: [], notices: [], sources: []};
    this.jobs = [];
    this.panels = new Map();
    this.happenings = [];
    this.nodes = element('ul', {class: 'cards', 'aria-labelledby': 'cluster'});
    this.notices = element('ul', {'aria-labelledby': 'notices'});
    this.log = element('ol', {'aria-labelledby': 'happened'});
    this.jobList = element('div');
    const none = (text) => element('p', {class: 'none'}, text);
    place.replaceChildren(
      element('section', {}, element('h2', {id: 'cluster'}, 'Cluster'), this.nodes),
      element('section', {}, element('h2', {id: 'notices'}, 'Notices'), this.notices, none('Nothing is wrong.')),
      element('section', {}, element('h2', {}, 'Jobs'), this.jobList, none('No job runs that is known here.')),
      element('section', {}, element('h2', {id: 'happened'}, 'What has happened'), this.log, none('Nothing yet.')));
  }

  async load() {
    this.happenings = [];
    await Promise.all([this.loadState(), this.loadJobs()]);
  }

  async loadState() {
    this.state = await ask('GET', '/v1/state');
    this.draw();
  }

  async loadJobs() {
    this.jobs = (await ask('GET', '/v1/jobs')).jobs;
    this.draw();
  }

  take({type, data}) {
    this.happenings = [data, ...this.happenings].slice(0, mostHappenings);
    if (changesToTell.has(type)) tell(`${data.node}: ${data.text}`);
    clearTimeout(this.soon);
    this.soon = setTimeout(() => this.loadAgain(), 200);
    this.draw();
  }

  // The stream says when the server has gone.
  loadAgain() {
    return Promise.all([this.loadState(), this.loadJobs()]).catch(() => {});
  }

  draw() {
    const items = this.state.nodes.map((node) => ({node: node.node, state: stateOf(node), said: node.evacuation?.said,
      cause: node.evacuation?.cause, ranks: this.ranksOn(node.node),
      mine: this.state.notices.some((one) => one.node === node.node && one.source === 'manual' && one.state === 'firing')}));
    show(this.nodes, items, (item) => item.node, (item) => this.card(item));
    const notices = this.state.notices.map(({age, ...rest}) => rest);
    show(this.notices, notices, (one) => `${one.source} ${one.key}`, (one) => element('li', {class: one.state},
      `${one.node}: ${one.reason || one.key} (${one.source}, ${one.state}, ${one.action})`));
    show(this.log, this.happenings, (one) => `${one.time} ${one.node} ${one.text}`, (one) => element('li', {},
      element('time', {datetime: one.time}, clock(one.time)), ` ${one.node ? `${one.node}: ` : ''}${one.text}`));
    this.drawJobs();
  }

  ranksOn(node) {
    return this.jobs.map((job) => ({job: job.job, ranks: job.nodes.find((one) => one.node === node)?.ranks ?? []}))
      .filter((one) => one.ranks.length > 0);
  }

  card(item) {
    const button = (name, text, action) => element('button', {type: 'button', 'data-name': name, onclick: action}, text);
    return element('li', {class: `card ${item.state}`, 'data-node': item.node},
      element('h3', {}, item.node),
      element('p', {class: 'state'}, item.state),
      item.cause ? element('p', {}, `Cause: ${item.cause}`) : null,
      item.said ? element('p', {}, item.said) : null,
      item.ranks.map((one) => element('p', {}, `${one.job}: ranks ${one.ranks.join(' ')}`)),
      item.mine ? button('repaired', `${item.node} is well again`, () => this.repaired(item.node)) : null,
      mayBeEmptied.has(item.state)
        ? button('empty', `Empty ${item.node} of all jobs`, () => this.empty(item))
        : null);
  }

  drawJobs() {
    show(this.jobList, this.jobs.map((job) => ({job: job.job, user: job.user, program: job.program})), (one) => one.job,
      (one) => {
        const place = element('div');
        this.panels.set(one.job, new JobPanel(place, `/v1/jobs/${one.job}/migrations`, one.job));
        return element('details', {open: true, 'data-job': one.job},
          element('summary', {}, `${one.job}: ${one.program}${one.user ? ` of ${one.user}` : ''}`), place);
      });
    for (const job of this.jobs) this.panels.get(job.job).update(job, job.history);
  }

  empty(item) {
    return attempt(async () => {
      const ranks = item.ranks.map((one) => `Ranks of ${one.job} on it: ${one.ranks.join(' ')}.`);
      const lines = [...ranks, 'This is a notice (source "manual"), about which the rules decide, within the brakes.'];
      if (!await confirmed(`Empty ${item.node} of all jobs?`, lines, `Empty ${item.node}`)) return;
      await ask('POST', '/v1/notices', notice(item.node, {reason: 'asked for on the page', state: 'firing'}));
      await this.loadState();
    });
  }

  repaired(node) {
    return attempt(async () => {
      await ask('POST', '/v1/notices', notice(node, {state: 'resolved'}));
      await this.loadState();
    });
  }
}

export async function healthView(place, connected) {
  const panel = new HealthPanel(place);
  byId('subject').textContent = 'Health of the nodes';
  const looks = setInterval(() => document.hidden || panel.loadAgain(), betweenLooksAtJobs);
  await follow({connected, load: () => panel.load(), take: (event) => panel.take(event)});
  clearInterval(looks);
}
