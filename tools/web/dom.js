// What the views make the page of.

export const byId = (id) => document.getElementById(id);

// Attributes are strings, or true; "onclick" and the like are listeners. Children are elements or texts; null is left out.
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, '');
    else if (value !== false && value != null) made.setAttribute(key, value);
  }
  made.append(...children.flat().filter((child) => child != null));
  return made;
}

const shown = new WeakMap();

function replace(before, after) {
  const focused = before.contains(document.activeElement) ? document.activeElement.dataset.name : undefined;
  before.replaceWith(after);
  if (focused) after.querySelector(`[data-name="${CSS.escape(focused)}"]`)?.focus();
}

// Makes a list show these items. Only those that have changed are made anew, and the focus stays where it is: on the
// element with the same data-name.
export function show(list, items, keyOf, make) {
  const before = new Map([...list.children].map((child) => [child.dataset.key, child]));
  let next = list.firstElementChild;
  for (const item of items) {
    const key = String(keyOf(item));
    const content = JSON.stringify(item);
    let child = before.get(key);
    before.delete(key);
    if (!child || shown.get(child) !== content) {
      const made = make(item);
      made.dataset.key = key;
      shown.set(made, content);
      if (child) {
        if (next === child) next = made;
        replace(child, made);
      }
      child = made;
    }
    if (child === next) next = next.nextElementSibling;
    else list.insertBefore(child, next);
  }
  for (const gone of before.values()) gone.remove();
}

// For screen readers, and for everybody at the bottom of the page.
export function tell(text) {
  byId('news').textContent = text;
}

export function complain(text) {
  byId('problem').textContent = text;
}

// Does what may be refused, and says so then.
export async function attempt(action) {
  complain('');
  try {
    await action();
  } catch (error) {
    complain(error.message);
  }
}

// Whether the user wants that.
export function confirmed(title, lines, verb) {
  const dialog = byId('dialog');
  byId('dialog-title').textContent = title;
  byId('dialog-text').replaceChildren(...lines.map((line) => element('p', {}, line)));
  byId('dialog-yes').textContent = verb;
  return new Promise((resolve) => {
    let yes = false;
    byId('dialog-yes').onclick = () => {
      yes = true;
      dialog.close();
    };
    byId('dialog-no').onclick = () => dialog.close();
    dialog.onclose = () => resolve(yes);
    dialog.showModal();
    byId('dialog-no').focus();
  });
}

const rounded = (value) => (value < 9.95 ? value.toFixed(1) : value.toFixed(0));

export const megabytes = (bytes) => `${rounded(bytes / 1e6)} MB`;

export const seconds = (value) => (value < 10 ? `${value.toFixed(2)} s` : `${value.toFixed(0)} s`);

export const clock = (time) => new Date(time).toLocaleTimeString();
