// Sets the theme before the first paint. It is a classic script in a file of its own, because the content security
// policy forbids inline ones and a module would run too late.
(() => {
  const kept = localStorage.getItem('tollgate-theme');
  const isDark = kept === 'dark' || (kept !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
})();
