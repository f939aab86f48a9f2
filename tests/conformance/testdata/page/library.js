// What the scripts of this folder call in the page.
Object.assign(window, {
  all: (selector) => [...document.querySelectorAll(selector)],
  count: (selector) => all(selector).length,
  texts: (selector) => all(selector).map((e) => e.innerText),
  value: (selector) => document.querySelector(selector).value,
  focused: () => (document.activeElement.id || document.activeElement.innerText).trim(),
  background: () => getComputedStyle(document.body).backgroundColor,
  // A control is set as by a person.
  choose: (selector, value) => {
    const control = document.querySelector(selector);
    control.value = value;
    control.dispatchEvent(new Event("input", { bubbles: true }));
  },
  copied: [],
});
navigator.clipboard.writeText = async (text) => { copied.push(text); };
