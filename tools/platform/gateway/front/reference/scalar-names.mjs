/** Runs in the browser. What Scalar 1.72 leaves unsaid to those who do not see it: names and states of its fields, and that some lists can be scrolled. */
function say() {
  for (const field of document.querySelectorAll('[role="combobox"].code-input-lite__editor')) {
    const label = document.querySelector(`label[for="${CSS.escape(field.parentElement.id)}"]`);
    if (!field.hasAttribute('aria-expanded')) field.setAttribute('aria-expanded', 'false');
    if (!field.hasAttribute('aria-label') && !field.hasAttribute('aria-labelledby')) field.setAttribute('aria-label', label?.textContent.trim() || field.dataset.placeholder || 'Value');
  }
  for (const button of document.querySelectorAll('button[id^="headlessui-disclosure-button"]:not([aria-label])')) {
    if (button.textContent.trim() === '') button.setAttribute('aria-label', 'More');
  }
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
new MutationObserver(sayLater).observe(document.body, { childList: true, subtree: true });
