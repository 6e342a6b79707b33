// What the page of the interface does beyond being read: searching, copying commands, opening what an address names, and
// writing commands with the address that the reader came by. What is done with a command is in try.js. A classic script in the head, so that the theme is set
// before the first paint; the policy of the page allows no inline one.

(() => {
  const root = document.documentElement;
  const kept = localStorage.getItem('tollgate-theme');
  if (kept === 'dark' || kept === 'light') root.dataset.theme = kept;

  /** The server's own idea of its address is right behind no proxy only. */
  function useOwnAddress() {
    const { address } = document.body.dataset;
    if (!address || address === location.origin) return;
    for (const code of document.querySelectorAll('.example code')) {
      code.textContent = code.textContent.replaceAll(address, location.origin);
    }
  }

  async function copy(button) {
    const code = button.parentElement.querySelector('code');
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = 'Copied';
    } catch {
      // Without a secure connection there is no clipboard: the text is selected instead, ready for the keyboard.
      getSelection().selectAllChildren(code);
      button.textContent = 'Selected';
    }
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 1500);
  }

  function openTarget() {
    const target =
      location.hash.length > 1 ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
    if (!(target instanceof HTMLDetailsElement)) return;
    target.open = true;
    target.scrollIntoView();
    target.querySelector('summary').focus({ preventScroll: true });
  }

  /** Every word must be found, in any order. */
  function search(text) {
    const words = text
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '');
    let count = 0;
    for (const area of document.querySelectorAll('.area')) {
      let isEmpty = true;
      for (const operation of area.querySelectorAll('.operation')) {
        operation.hidden = !words.every((word) => operation.dataset.found.includes(word));
        if (operation.hidden) continue;
        isEmpty = false;
        count += 1;
      }
      area.hidden = isEmpty;
    }
    const isSearching = words.length > 0;
    document.querySelector('.intro').hidden = isSearching;
    if (isSearching) scrollTo(0, 0);
    document.getElementById('none').hidden = count > 0;
    document.getElementById('found').textContent = isSearching ? `${count} found` : '';
  }

  /** From the field down to what was found, and on from there, without leaving the keys. */
  function step(event, field) {
    const direction = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const place = event.target.closest('.operation > summary, #search');
    if (direction === 0 || place === null) return;
    const stops = [field, ...document.querySelectorAll('.area:not([hidden]) .operation:not([hidden]) > summary')];
    event.preventDefault();
    stops[stops.indexOf(place) + direction]?.focus();
  }

  function listenToKeys(field) {
    document.addEventListener('keydown', (event) => {
      const isTyping = event.target instanceof HTMLInputElement;
      if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey) {
        event.preventDefault();
        field.focus();
      } else if (event.key === 'Escape' && event.target === field) {
        field.value = '';
        search('');
      } else step(event, field);
    });
  }

  document.addEventListener('DOMContentLoaded', () => {
    useOwnAddress();
    const field = document.getElementById('search');
    field.parentElement.hidden = false;
    field.addEventListener('input', () => search(field.value));
    for (const button of document.querySelectorAll('.copy')) {
      button.hidden = false;
      button.addEventListener('click', () => copy(button));
    }
    listenToKeys(field);
    openTarget();
  });
  addEventListener('hashchange', () => {
    // What a link names may be hidden by a search.
    const field = document.getElementById('search');
    if (field.value !== '') {
      field.value = '';
      search('');
    }
    openTarget();
  });
})();
