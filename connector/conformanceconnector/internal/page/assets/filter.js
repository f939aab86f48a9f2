// SPDX-License-Identifier: Apache-2.0

// The form above a list. The address has what a person chose in it.

import { ofSection, read, write } from './address.js';
import { number, visible } from './text.js';

// filter is the form of a section. of returns, by the names of its selections, a row's value or values.
// text returns what the search looks in.
export function filter(section, of, text) {
  const form = document.querySelector(`#${section} form`);
  const controls = [...form.elements].filter((e) => e.name);
  let chosen = {}, changed = () => {};

  function set(name, value, kept) {
    if (value) chosen[name] = value;
    else delete chosen[name];
    write(ofSection(section, chosen), kept || read(location.hash).section !== section);
    changed();
  }

  function choose(values) {
    chosen = { ...values };
    for (const control of controls) if (control.type === 'search') control.value = chosen.q ?? '';
  }

  // fill offers the values that rows have. What was chosen stays, whether it still comes or not.
  function fill(control, values) {
    const now = chosen[control.name] ?? '';
    const wanted = ['', ...[...new Set([...values, now])].filter(Boolean).sort()];
    if (wanted.length !== control.options.length || wanted.some((value, i) => control.options[i].value !== value)) {
      control.replaceChildren(...wanted.map((value) => new Option(visible(value) || 'all', value)));
    }
  }

  // rows returns those that were chosen.
  function rows(all) {
    const chosenOf = Object.entries(of).filter(([name]) => chosen[name]);
    const words = (chosen.q ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    const found = all.filter((row) => chosenOf.every(([name, value]) => [value(row)].flat().includes(chosen[name]))
      && (!words.length || has(text(row).toLowerCase(), words)));
    for (const control of controls) {
      if (control.type === 'search') continue;
      if (of[control.name]) fill(control, all.flatMap(of[control.name]));
      if (control.value !== (chosen[control.name] ?? '')) control.value = chosen[control.name] ?? '';
    }
    form.querySelector('output').value = `${number(found.length)} of ${number(all.length)}`;
    form.querySelector('[type=reset]').hidden = !Object.keys(chosen).length;
    return found;
  }

  const has = (where, words) => words.every((word) => where.includes(word));

  // listen calls a function when a person changes the filter.
  function listen(redraw) {
    changed = redraw;
    for (const control of controls) {
      const search = control.type === 'search';
      control.addEventListener('input', () => set(search ? 'q' : control.name, control.value, !search));
    }
    form.addEventListener('submit', (event) => event.preventDefault());
    form.addEventListener('reset', (event) => {
      event.preventDefault();
      choose({});
      write(ofSection(section, {}), true);
      changed();
    });
  }

  return { choose, listen, rows, set, get: (name) => chosen[name] ?? '' };
}
