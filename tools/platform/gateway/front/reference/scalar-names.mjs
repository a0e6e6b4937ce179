/** Runs in the browser. What Scalar 1.72 leaves unsaid, or says wrongly, to those who do not see it: names, roles and states of fields and buttons, which lists can be scrolled, and what lies behind a window. */
function say() {
  for (const field of document.querySelectorAll('[role="combobox"].code-input-lite__editor')) {
    const label = document.querySelector(`label[for="${CSS.escape(field.parentElement.id)}"]`);
    if (!field.hasAttribute('aria-expanded')) field.setAttribute('aria-expanded', 'false');
    if (!field.hasAttribute('aria-label') && !field.hasAttribute('aria-labelledby')) field.setAttribute('aria-label', label?.textContent.trim() || field.dataset.placeholder || 'Value');
  }
  for (const button of document.querySelectorAll('button[id^="headlessui-disclosure-button"]:not([aria-label])')) {
    if (button.textContent.trim() === '') button.setAttribute('aria-label', 'More');
  }
  for (const button of document.querySelectorAll('button.scalar-code-copy:not([aria-label])')) button.setAttribute('aria-label', 'Copy');
  // Who speaks to the browser says what stands on the button.
  for (const button of document.querySelectorAll('button.show-more')) {
    const [seen, said] = [button.textContent.trim(), button.getAttribute('aria-label') ?? ''];
    if (said !== '' && !said.includes(seen)) button.setAttribute('aria-label', `${seen}: ${said}`);
  }
  for (const button of document.querySelectorAll('button[role="none"]')) button.removeAttribute('role');
  for (const [index, notes] of [...document.querySelectorAll('section[aria-label^="Notifications"]')].entries()) {
    if (index > 0 && !notes.getAttribute('aria-label').includes('request')) notes.setAttribute('aria-label', `${notes.getAttribute('aria-label')}, of requests`);
  }
  const page = document.querySelector('main.references-rendered');
  const isBehind = [...document.querySelectorAll('main')].some((main) => main !== page && main.getClientRects().length > 0);
  if (page) page.inert = isBehind;
  for (const list of document.querySelectorAll('ul.endpoints:not([tabindex])')) list.setAttribute('tabindex', '0');
}

let isDue = false;
const sayLater = () => {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    say();
  });
};
new MutationObserver(sayLater).observe(document.body, { childList: true, subtree: true, attributeFilter: ['class', 'style'] });
