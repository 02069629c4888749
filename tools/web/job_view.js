// A job: its nodes with their ranks, which can be moved, and its migrations.

import {ask, follow} from './client.js';
import {attempt, byId, clock, confirmed, element, megabytes, seconds, show, tell} from './dom.js';

const mostChips = 200;
const mostOfHistory = 100;
const over = new Set(['done', 'failed', 'refused', 'damaged']);

const movesText = (moves) => moves.map((one) => `rank ${one.rank} from ${one.from} to ${one.to}`).join(', ');

function whatIs(migration) {
  if (migration.evacuate) return `empty ${migration.evacuate}`;
  if (migration.kind === 'relocation') return [`add ${migration.add.join(', ')}`, movesText(migration.moves)].filter(Boolean).join('; ');
  if (migration.kind === 'checkpoint') return 'checkpoint';
  return movesText(migration.moves) || 'waits until the job has started';
}

function progressText(migration) {
  let text = migration.state;
  if (migration.waits_for) text += `: ${migration.waits_for.join('; ')}`;
  if (migration.bytes_total > 0) text += `: ${megabytes(migration.bytes_done)} of ${megabytes(migration.bytes_total)}`;
  if (migration.bytes_per_second) text += `, ${megabytes(migration.bytes_per_second)}/s`;
  if (migration.seconds_left !== undefined) text += `, ${Math.ceil(migration.seconds_left)} s left`;
  return text;
}

export class JobPanel {
  // `base` is where the job's migrations are asked for; `name` tells this panel from others on the page.
  constructor(place, base, name) {
    this.base = base;
    this.job = {nodes: [], state: ''};
    this.migrations = new Map();
    this.dragged = null;
    const id = (what) => `${what}-${name}`;
    this.nodes = element('ul', {class: 'cards', 'aria-labelledby': id('nodes')});
    this.rank = element('input', {id: id('rank'), type: 'number', min: '0', required: true, inputmode: 'numeric'});
    this.target = element('select', {id: id('target'), required: true});
    this.addedNode = element('input', {id: id('added-node'), required: true, autocomplete: 'off', spellcheck: 'false', placeholder: 'node7:4'});
    this.running = element('ul', {class: 'migrations', 'aria-labelledby': id('running')});
    this.history = element('tbody');
    const columns = ['Migration', 'What', 'Asked for', 'Result', 'Took', 'Moved', 'Ranks stood still', 'Trace'];
    place.replaceChildren(
      element('section', {},
        element('h2', {id: id('nodes')}, 'Nodes'),
        this.nodes,
        element('form', {class: 'move', onsubmit: (event) => this.submitted(event)},
          element('label', {for: id('rank')}, 'Move rank'), this.rank,
          element('label', {for: id('target')}, 'to'), this.target,
          element('button', {type: 'submit'}, 'Move')),
        element('form', {class: 'move', onsubmit: (event) => this.added(event)},
          element('label', {for: id('added-node')}, 'Add node[:slots]'), this.addedNode,
          element('button', {type: 'submit', 'data-name': 'add'}, 'Add'))),
      element('section', {},
        element('h2', {id: id('running')}, 'Migrations under way'),
        this.running,
        element('p', {class: 'none'}, 'None.')),
      element('section', {},
        element('h2', {id: id('history')}, 'Migrations that are over'),
        element('table', {'aria-labelledby': id('history')},
          element('thead', {}, element('tr', {}, columns.map((one) => element('th', {scope: 'col'}, one)))),
          this.history)));
  }

  update(job, migrations) {
    this.job = job;
    this.migrations = new Map(migrations.map((one) => [one.id, one]));
    this.draw();
  }

  takeNode(node) {
    const index = this.job.nodes.findIndex((one) => one.node === node.node);
    if (index >= 0) this.job.nodes[index] = node;
    else this.job.nodes.push(node);
    this.draw();
  }

  takeMigration(migration) {
    const before = this.migrations.get(migration.id);
    this.migrations.set(migration.id, migration);
    if (over.has(migration.state) && !(before && over.has(before.state)))
      tell(`Migration ${migration.id}, ${whatIs(migration)}: ${migration.state} ${migration.reason}`);
    this.draw();
  }

  draw() {
    const all = [...this.migrations.values()];
    const open = all.filter((one) => !over.has(one.state));
    const moving = new Set(open.filter((one) => one.state !== 'queued').flatMap((one) => one.moves.map((move) => move.rank)));
    const items = this.job.nodes.map((node) => ({...node, memory_free: 0, moving: node.ranks.filter((rank) => moving.has(rank))}));
    show(this.nodes, items, (node) => node.node, (node) => this.card(node));
    const targets = this.job.nodes.filter((node) => node.state === 'up').map((node) => node.node);
    show(this.target, ['', ...targets], (name) => name,
      (name) => element('option', {value: name}, name || 'choose a node'));
    show(this.running, open, (one) => one.id, (one) => this.progress(one));
    const ended = all.filter((one) => over.has(one.state)).reverse().slice(0, mostOfHistory);
    show(this.history, ended, (one) => one.id, (one) => this.row(one));
  }

  card(node) {
    const up = node.state === 'up';
    const slots = node.slots ? ` of ${node.slots} slots` : '';
    return element('li', {class: `card ${node.state}`, 'data-node': node.node,
      ondragover: (event) => this.overCard(event, node), ondragenter: (event) => this.overCard(event, node),
      ondragleave: (event) => event.currentTarget.classList.remove('target'),
      ondrop: (event) => this.dropped(event, node)},
    element('h3', {}, node.node),
    element('p', {}, `${node.state}, ${node.ranks.length} ${node.ranks.length === 1 ? 'rank' : 'ranks'}${slots}`, node.release_text ? `, ${node.release_text}` : ''),
    element('ul', {class: 'ranks', 'aria-label': `Ranks on ${node.node}`},
      node.ranks.slice(0, mostChips).map((rank) => this.chip(rank, node)),
      node.ranks.length > mostChips ? element('li', {}, `and ${node.ranks.length - mostChips} more`) : null),
    up || node.state === 'leave-only'
      ? element('button', {type: 'button', 'data-name': 'empty', onclick: () => this.empty(node.node)}, `Empty ${node.node}`)
      : element('button', {type: 'button', 'data-name': 'restore', onclick: () => this.restore(node.node)}, `Use ${node.node} again`));
  }

  chip(rank, node) {
    const moves = node.moving.includes(rank);
    return element('li', {}, element('button', {type: 'button', class: moves ? 'rank moving' : 'rank', draggable: 'true',
      'data-name': `rank-${rank}`, 'aria-label': `Rank ${rank}${moves ? ', is moving' : ''}: choose a node for it`,
      ondragstart: (event) => {
        this.dragged = {rank, from: node.node};
        event.dataTransfer.setData('text/plain', `rank ${rank}`);
        event.dataTransfer.effectAllowed = 'move';
      },
      ondragend: () => {
        this.dragged = null;
      },
      onclick: () => this.choose(rank)}, String(rank)));
  }

  overCard(event, node) {
    if (!this.dragged || node.state !== 'up' || this.dragged.from === node.node) return;
    event.preventDefault();
    event.currentTarget.classList.add('target');
  }

  dropped(event, node) {
    event.preventDefault();
    event.currentTarget.classList.remove('target');
    if (this.dragged) this.move(this.dragged.rank, node.node);
  }

  choose(rank) {
    this.rank.value = rank;
    this.target.focus();
    tell(`Rank ${rank} is chosen: choose a node, and Move.`);
  }

  submitted(event) {
    event.preventDefault();
    this.move(Number(this.rank.value), this.target.value);
  }

  move(rank, to) {
    return attempt(async () => {
      const from = this.job.nodes.find((node) => node.ranks.includes(rank))?.node;
      const lines = [from ? `It is on ${from}.` : 'It is on no node that is known here.', 'All ranks stand still for a moment.'];
      if (!await confirmed(`Move rank ${rank} to ${to}?`, lines, `Move rank ${rank}`)) return;
      await this.request({ranks: [rank], to: [to]});
    });
  }

  empty(node) {
    return attempt(async () => {
      const {moves} = await ask('POST', this.base, {evacuate: node, dry_run: true});
      const lines = [moves.length > 0 ? `These would move: ${movesText(moves)}.` : 'No rank is on it.',
        `${node} is given up: no rank of this job can come back to it.`];
      if (!await confirmed(`Empty ${node}?`, lines, `Empty ${node}`)) return;
      await this.request({evacuate: node});
    });
  }

  added(event) {
    event.preventDefault();
    const name = this.addedNode.value.trim();
    return this.grow({add: [name]}, `Add ${name}`);
  }

  restore(node) {
    return this.grow({restore: node}, `Use ${node} again`);
  }

  // A node comes, or comes back.
  grow(body, verb) {
    return attempt(async () => {
      const {moves} = await ask('POST', this.base, {...body, dry_run: true});
      const lines = [moves.length > 0 ? `These would move: ${movesText(moves)}.` : 'No rank moves to it yet.',
        'If the job does not have the node, all ranks go on under another mpirun: they stand still for some seconds.'];
      if (await confirmed(`${verb}?`, lines, verb)) await this.request(body);
    });
  }

  async request(body) {
    const migration = await ask('POST', this.base, body);
    this.takeMigration(migration);
    tell(`Migration ${migration.id} has been asked for: ${whatIs(migration)}.`);
  }

  progress(migration) {
    return element('li', {'data-migration': migration.id},
      element('p', {}, `Migration ${migration.id}: ${whatIs(migration)}`),
      element('progress', {max: String(migration.bytes_total || 1), value: String(migration.bytes_done),
        'aria-label': `Progress of migration ${migration.id}`}),
      element('p', {class: 'numbers'}, progressText(migration)),
      migration.state === 'commit' ? null : element('button', {type: 'button', 'data-name': 'cancel',
        onclick: () => attempt(() => ask('DELETE', `${this.base}/${migration.id}`))}, `Cancel migration ${migration.id}`));
  }

  row(migration) {
    const cell = (name, ...content) => element('td', {'data-label': name}, ...content);
    const reason = migration.reason || migration.messages.join('; ');
    const done = migration.state === 'done';
    return element('tr', {'data-migration': migration.id},
      element('th', {scope: 'row'}, String(migration.id)),
      cell('What', whatIs(migration)),
      cell('Asked for', clock(migration.requested_at)),
      cell('Result', element('span', {class: migration.state}, migration.state), reason ? `: ${reason}` : ''),
      cell('Took', seconds(migration.seconds)),
      cell('Moved', done ? megabytes(migration.image_bytes) : '–'),
      cell('Ranks stood still', done ? `${Math.round(migration.frozen_ms)} ms` : '–'),
      cell('Trace', element('button', {type: 'button', 'data-name': 'trace', 'aria-label': `Trace of migration ${migration.id}`,
        onclick: () => attempt(() => this.saveTrace(migration.id))}, 'Save')));
  }

  async saveTrace(id) {
    const trace = await ask('GET', `${this.base}/${id}/trace`);
    const link = element('a', {download: `${this.job.job}-migration-${id}.json`,
      href: URL.createObjectURL(new Blob([JSON.stringify(trace)], {type: 'application/json'}))});
    link.click();
    URL.revokeObjectURL(link.href);
  }
}

// The page of cppc-run.
export function jobView(place, connected) {
  const panel = new JobPanel(place, '/v1/migrations', 'job');
  const subject = (job) => {
    byId('subject').textContent = `Job ${job.job}: ${job.state}`;
  };
  return follow({
    connected,
    load: async () => {
      const [job, {migrations}] = await Promise.all([ask('GET', '/v1/job'), ask('GET', '/v1/migrations')]);
      subject(job);
      panel.update(job, migrations);
    },
    take: ({type, data}) => {
      if (type === 'job') subject(data);
      if (type === 'node') panel.takeNode(data);
      if (type === 'migration') panel.takeMigration(data);
    },
  });
}
