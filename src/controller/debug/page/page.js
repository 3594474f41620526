'use strict';

// Reads state.json once a second, makes rates from two documents, and shows them. Texts come from a
// cluster, so they are only ever set as text, never as HTML.

const kPeriod = 1000;      // milliseconds between two documents
const kPoints = 180;       // of a graph: three minutes
const kFirstRows = 100;    // of the informers, until all are asked for

const $ = (id) => document.getElementById(id);

function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

// Sets a text only where it differs, so that a quiet page costs nothing.
function say(element, text, className) {
  if (element.textContent !== text) element.textContent = text;
  if (className !== undefined && element.className !== className) element.className = className;
}

// ---- Numbers

function count(number) {
  return Math.round(number).toLocaleString('en-US');
}

function rate(number) {
  if (number === null) return '–';
  return number >= 100 ? count(number) : number.toFixed(1);
}

function bytes(number) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  while (number >= 1000 && unit < units.length - 1) {
    number /= 1024;
    ++unit;
  }
  return (unit === 0 || number >= 100 ? number.toFixed(0) : number.toFixed(1)) + ' ' + units[unit];
}

function span(seconds) {
  if (seconds === null || seconds === undefined) return '–';
  if (seconds < 0.001) return '0 ms';
  if (seconds < 1) return Math.round(seconds * 1000) + ' ms';
  if (seconds < 10) return seconds.toFixed(1) + ' s';
  if (seconds < 120) return Math.round(seconds) + ' s';
  if (seconds < 7200) return Math.round(seconds / 60) + ' min';
  if (seconds < 172800) return Math.round(seconds / 3600) + ' h';
  return Math.round(seconds / 86400) + ' d';
}

// ---- Rates: what has been counted between two documents

class Rates {
  constructor() {
    this.before = new Map();
    this.now = new Map();
    this.elapsed = 0;
  }
  begin(elapsed) {
    this.before = this.now;
    this.now = new Map();
    this.elapsed = elapsed;
  }
  // Returns the events per second, or null if nothing is known yet.
  of(key, total) {
    this.now.set(key, total);
    const before = this.before.get(key);
    if (before === undefined || this.elapsed <= 0) return null;
    return Math.max(0, total - before) / this.elapsed;
  }
}

// ---- Graphs

class Graph {
  constructor(title, format) {
    this.format = format;
    this.points = [];
    const box = make('div', 'graph');
    box.append(make('div', 'dim', title));
    this.value = make('div', 'value', '–');
    box.append(this.value);
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    svg.setAttribute('viewBox', `0 0 ${kPoints - 1} 100`);
    svg.setAttribute('preserveAspectRatio', 'none');
    svg.setAttribute('role', 'img');
    svg.setAttribute('aria-label', title);
    this.area = this.path(svg, 'area');
    this.line = this.path(svg, 'line');
    box.append(svg);
    this.most = make('div', 'dim', '');
    box.append(this.most);
    $('graphs').append(box);
  }
  path(svg, className) {
    const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    path.setAttribute('class', className);
    svg.append(path);
    return path;
  }
  add(number) {
    if (number === null) return;
    this.points.push(number);
    if (this.points.length > kPoints) this.points.shift();
    say(this.value, this.format(number));
    const most = Math.max(...this.points, 1e-9);
    say(this.most, 'most ' + this.format(most));
    const first = kPoints - this.points.length;
    const places = this.points.map((point, i) =>
      `${first + i},${(98 - 94 * point / most).toFixed(1)}`);
    this.line.setAttribute('d', 'M' + places.join('L'));
    this.area.setAttribute('d', `M${first},100L` + places.join('L') + `L${kPoints - 1},100Z`);
  }
}

const graphs = {
  events: new Graph('Events per second', rate),
  reconciles: new Graph('Reconciles per second', rate),
  waiting: new Graph('Requests that wait', count),
  cpu: new Graph('CPU', (cores) => (cores * 100).toFixed(cores < 0.1 ? 1 : 0) + ' %'),
  memory: new Graph('Memory', bytes),
};

// ---- Tables

// A table whose rows have keys and keep their elements. A column has a title, `of`, which returns
// its text, and if it is a number `number`, which returns it for sorting.
class Table {
  constructor(id, columns, empty) {
    this.columns = columns;
    this.rows = new Map();
    this.sorted = null;  // the column
    this.down = true;
    this.empty = empty;
    const head = make('tr');
    for (const column of columns) {
      const cell = make('th', column.number ? 'number' : '');
      const button = make('button', '', column.title);
      button.type = 'button';
      button.addEventListener('click', () => this.sortBy(column));
      cell.append(button);
      head.append(cell);
      column.head = cell;
    }
    this.body = make('tbody');
    const thead = make('thead');
    thead.append(head);
    $(id).append(thead, this.body);
  }
  sortBy(column) {
    this.down = this.sorted === column ? !this.down : Boolean(column.number);
    this.sorted = column;
    for (const other of this.columns) other.head.removeAttribute('aria-sort');
    column.head.setAttribute('aria-sort', this.down ? 'descending' : 'ascending');
    redraw();
  }
  order(items) {
    const column = this.sorted;
    if (column === null) return items;
    const of = column.number ?? ((item) => column.of(item));
    const sign = this.down ? -1 : 1;
    return [...items].sort((a, b) => {
      const left = of(a);
      const right = of(b);
      return left < right ? -sign : left > right ? sign : 0;
    });
  }
  // Shows the first `most` items in the order that was chosen.
  show(items, most = Infinity) {
    const shown = this.order(items).slice(0, most);
    const keys = new Set(shown.map((item) => item.key));
    for (const [key, row] of this.rows) {
      if (keys.has(key)) continue;
      row.remove();
      this.rows.delete(key);
    }
    let place = this.body.firstChild;
    for (const item of shown) {
      let row = this.rows.get(item.key);
      if (row === undefined) {
        row = make('tr');
        for (const column of this.columns) row.append(make('td', column.number ? 'number' : ''));
        this.rows.set(item.key, row);
      }
      this.columns.forEach((column, i) => {
        const extra = column.className ? column.className(item) : '';
        say(row.children[i], column.of(item), (column.number ? 'number ' : '') + extra);
      });
      if (row !== place) this.body.insertBefore(row, place);
      place = row.nextSibling;
    }
    this.sayEmpty(shown.length === 0);
  }
  sayEmpty(is) {
    if (is && !this.note) {
      this.note = make('tr');
      const cell = make('td', 'dim', this.empty);
      cell.colSpan = this.columns.length;
      this.note.append(cell);
      this.body.append(this.note);
    } else if (!is && this.note) {
      this.note.remove();
      this.note = null;
    }
  }
}

const tables = {
  controllers: new Table('controllers', [
    {title: 'Controller', of: (c) => c.name},
    {title: 'Workers', of: (c) => `${c.running.length} of ${c.workers}`,
      number: (c) => c.running.length},
    {title: 'Waiting', of: (c) => count(c.waiting), number: (c) => c.waiting},
    {title: 'Oldest', of: (c) => c.waiting ? span(c.oldestSeconds) : '–',
      number: (c) => c.oldestSeconds, className: (c) => c.oldestSeconds > 60 ? 'warn' : ''},
    {title: 'Delayed', of: (c) => count(c.delayed), number: (c) => c.delayed},
    {title: 'Failing', of: (c) => count(c.failing), number: (c) => c.failing,
      className: (c) => c.failing ? 'bad' : ''},
    {title: 'Reconciles/s', of: (c) => rate(c.rate), number: (c) => c.rate ?? 0},
    {title: 'Reconciles', of: (c) => count(c.reconciles), number: (c) => c.reconciles},
    {title: 'Errors', of: (c) => count(c.errors), number: (c) => c.errors,
      className: (c) => c.errorRate ? 'bad' : ''},
    {title: 'Put aside', of: (c) => count(c.parked), number: (c) => c.parked},
    {title: 'Now', of: workOf, className: (c) => 'wide ' + (c.heldBack ? 'warn' : '')},
  ], 'This manager has no controllers.'),
  informers: new Table('informers', [
    {title: 'Informer', of: (i) => i.name, className: () => 'wide'},
    {title: 'State', of: stateOf, className: colorOf},
    {title: 'Objects', of: (i) => count(i.objects), number: (i) => i.objects},
    {title: 'Memory', of: (i) => bytes(i.objectBytes), number: (i) => i.objectBytes},
    {title: 'Events/s', of: (i) => rate(i.rate), number: (i) => i.rate ?? 0},
    {title: 'Queued', of: (i) => count(i.queued), number: (i) => i.queued},
    {title: 'Handlers', of: (i) => count(i.handlers), number: (i) => i.handlers},
    {title: 'Age', of: (i) => span(i.progressAgeSeconds), number: (i) => i.progressAgeSeconds ?? 1e9,
      className: (i) => i.progressAgeSeconds > 90 ? 'warn' : ''},
    {title: 'Lists', of: (i) => count(i.lists), number: (i) => i.lists},
    {title: 'Watches', of: (i) => count(i.watches), number: (i) => i.watches},
    {title: 'Version', of: (i) => i.resourceVersion},
  ], 'No informer fits.'),
  leases: new Table('leases', [
    {title: 'Lease', of: (l) => l.name},
    {title: 'This process', of: (l) => l.identity},
    {title: 'Leader', of: (l) => l.leader || 'not known yet',
      className: (l) => l.leads ? 'good' : ''},
  ], 'No leader election.'),
  fights: new Table('fights', [
    {title: 'Controller', of: (f) => f.where},
    {title: 'Object', of: (f) => f.kind + ' ' + f.object, className: () => 'wide'},
    {title: 'Field', of: (f) => f.field},
    {title: 'Who', of: whoFights, className: () => 'wide'},
    {title: 'Rounds', of: (f) => count(f.rounds), number: (f) => f.rounds},
    {title: 'Last', of: (f) => span(f.agoSeconds) + ' ago', number: (f) => f.agoSeconds},
    {title: 'Now', of: (f) => !f.underWay ? 'over' : f.heldSeconds ?
      'held for ' + span(f.heldSeconds) : 'under way', className: (f) => f.underWay ? 'bad' : ''},
  ], 'None.'),
  errors: new Table('errors', [
    {title: 'When', of: (e) => e.when},
    {title: 'Where', of: (e) => e.where},
    {title: 'Error', of: (e) => e.text, className: () => 'wide bad'},
  ], 'None.'),
};

function whoFights(fight) {
  const own = fight.manager || 'the controller';
  if (fight.type === 'itself') return own + ' and itself';
  if (fight.type === 'server') return own + ' and the server';
  return own + ' and ' + (fight.others.filter((other) => other).join(', ') || 'another writer');
}

function workOf(controller) {
  if (controller.heldBack) return controller.heldBack;
  return controller.running.map((one) => `${one.request} (${span(one.seconds)})`).join(', ');
}

function stateOf(informer) {
  const retry = informer.retryInSeconds === null ? '' : `, again in ${span(informer.retryInSeconds)}`;
  return informer.state + retry;
}

function colorOf(informer) {
  if (informer.error) return 'bad';
  return informer.synced ? 'good' : 'warn';
}

// ---- The document

const rates = new Rates();
let last = null;       // the newest document
let readAt = 0;
let paused = false;
let showAll = false;

function take(state, now) {
  rates.begin((now - readAt) / 1000);
  readAt = now;
  last = state;
  let events = 0;
  for (const informer of state.informers) {
    informer.key = informer.apiVersion + '/' + informer.name;
    informer.rate = rates.of('i' + informer.key, informer.events);
    events += informer.events;
  }
  let reconciles = 0;
  let waiting = 0;
  for (const controller of state.controllers) {
    controller.key = controller.name;
    controller.rate = rates.of('c' + controller.key, controller.reconciles);
    controller.errorRate = rates.of('e' + controller.key, controller.errors);
    reconciles += controller.reconciles;
    waiting += controller.waiting;
  }
  for (const lease of state.leases) lease.key = lease.name;
  graphs.events.add(rates.of('events', events));
  graphs.reconciles.add(rates.of('reconciles', reconciles));
  graphs.waiting.add(waiting);
  graphs.cpu.add(rates.of('cpu', state.cpuSeconds));
  graphs.memory.add(state.residentBytes);
  redraw();
}

function redraw() {
  if (last === null) return;
  document.title = last.program + ' – kinformer';
  say($('program'), last.program);
  say($('process'), `pid ${last.pid}, up ${span(last.uptimeSeconds)}`);
  say($('role'), last.elected ? (last.leases.length ? 'leads' : 'runs') : 'waits to lead',
    'pill ' + (last.elected ? 'good' : 'warn'));
  tables.controllers.show(last.controllers);
  const wanted = $('filter').value.trim().toLowerCase();
  const fitting = last.informers.filter((informer) =>
    !wanted || (informer.name + ' ' + informer.apiVersion + ' ' + stateOf(informer))
      .toLowerCase().includes(wanted));
  const most = showAll ? Infinity : kFirstRows;
  tables.informers.show(fitting, most);
  const synced = last.informers.filter((informer) => informer.synced).length;
  say($('informers-count'), `${synced} of ${last.informers.length} synced` +
    (fitting.length > most ? `, the first ${most} of ${fitting.length} are shown` : ''));
  $('all').hidden = fitting.length <= most;
  $('leases-section').hidden = last.leases.length === 0;
  tables.leases.show(last.leases);
  const fights = last.controllers.flatMap((controller) => controller.fights.map((fight) => ({
    ...fight,
    key: `${controller.name}/${fight.kind}/${fight.object}/${fight.field}`,
    where: `${controller.name}: ${fight.request}`,
  })));
  $('fights-section').hidden = fights.length === 0;
  tables.fights.show(fights);
  tables.errors.show(errorsOf(last));
}

// Returns the errors of informers, which last, before the newest ones of reconciles.
function errorsOf(state) {
  const lasting = state.informers.filter((informer) => informer.error).map((informer) => ({
    key: 'i' + informer.key,
    when: 'for ' + span(informer.stateSeconds),
    where: informer.name,
    text: informer.error,
  }));
  const failures = state.controllers.flatMap((controller) => controller.failures.map((failure) => ({
    key: `c${controller.name}/${failure.request}`,
    ago: failure.agoSeconds,
    when: span(failure.agoSeconds) + ' ago',
    where: `${controller.name}: ${failure.request}`,
    text: failure.error + (failure.attempts ? ` (after ${failure.attempts} failures)` : ''),
  })));
  return [...lasting, ...failures.sort((a, b) => a.ago - b.ago)];
}

// ---- History of an object

function line(list, className, text) {
  list.append(make('li', className, text));
}

function causesOf(one) {
  const list = make('ul');
  for (const cause of one.causes) line(list, '', 'because ' + cause.text);
  if (one.causesLeftOut) line(list, 'dim', `and ${one.causesLeftOut} more causes`);
  return list;
}

function showWaiting(into, waiting) {
  const item = make('li');
  const since = waiting.seconds === undefined ? '' : ` for ${span(waiting.seconds)}`;
  const due = waiting.dueInSeconds === undefined ? '' : `, due in ${span(waiting.dueInSeconds)}`;
  item.append(make('div', 'warn', `waits${since}, ${waiting.state}${due}: ${waiting.why}`));
  const details = causesOf(waiting);
  if (waiting.error !== undefined) line(details, 'bad', waiting.error);
  item.append(details);
  into.append(item);
}

function showReconcile(into, past) {
  const item = make('li');
  const failed = past.error !== undefined;
  item.append(make('div', failed ? 'bad' : '',
    `${past.begun.replace('T', ' ').replace('Z', '')}, ${span(past.seconds)}: ${past.result}`));
  const details = causesOf(past);
  if (failed) line(details, 'bad', past.error);
  for (const write of past.writes) {
    const seen = write.lagSeconds === undefined ? '' : `, seen after ${span(write.lagSeconds)}`;
    line(details, 'dim', `wrote: ${write.verb} ${write.kind} ${write.object}` +
      (write.version ? ` to version ${write.version}` : '') + seen);
  }
  item.append(details);
  into.append(item);
}

function showHistory(answer) {
  const parts = [];
  for (const controller of answer.controllers) {
    for (const request of controller.requests || []) {
      parts.push(make('h3', '', `${controller.controller}: ${request.request}`));
      const list = make('ol');
      if (request.waiting !== undefined) showWaiting(list, request.waiting);
      for (const past of [...request.reconciles].reverse()) showReconcile(list, past);
      parts.push(list);
    }
    for (const fight of controller.fights || []) {
      const rounds = `${fight.rounds} rounds, the last ${span(fight.agoSeconds)} ago`;
      parts.push(make('p', fight.underWay ? 'bad' : 'dim',
        `${controller.controller}: a fight over ${fight.field} of ${fight.kind} ${fight.object}, ` +
        `${whoFights({others: [], ...fight})}: ${rounds}` +
        (fight.underWay && fight.heldSeconds ?
          `; ${fight.request} is held for ${span(fight.heldSeconds)}` : '')));
    }
  }
  if (parts.length === 0) {
    parts.push(make('p', 'dim', 'No controller knows of it: it was not reconciled, or that is too ' +
      'long ago.'));
  }
  $('history').replaceChildren(...parts);
}

async function search() {
  const query = new URLSearchParams({
    kind: $('search-kind').value.trim(), object: $('search-name').value.trim()});
  try {
    showHistory(await read('why?' + query));
  } catch (error) {
    $('history').replaceChildren(make('p', 'bad', error.message));
  }
}

async function read(path) {
  const answer = await fetch('kinformer/' + path, {cache: 'no-store'});
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return answer.json();
}

async function tick() {
  if (!paused && !document.hidden) {
    try {
      take(await read('state.json'), performance.now());
      say($('connection'), 'live', 'good');
    } catch (error) {
      say($('connection'), 'no answer: ' + error.message, 'bad');
    }
  }
  setTimeout(tick, kPeriod);
}

$('pause').addEventListener('click', () => {
  paused = !paused;
  say($('pause'), paused ? 'Continue' : 'Pause');
  if (paused) say($('connection'), 'paused', 'warn');
});
$('filter').addEventListener('input', redraw);
$('search').addEventListener('submit', (event) => {
  event.preventDefault();
  search();
});
// A link to a history: /debug/kinformer#Deployment/default/web
if (location.hash.includes('/')) {
  const [kind, ...object] = decodeURIComponent(location.hash.slice(1)).split('/');
  $('search-kind').value = kind;
  $('search-name').value = object.join('/');
  search();
}
$('all').addEventListener('click', () => {
  showAll = true;
  redraw();
});

tick();
