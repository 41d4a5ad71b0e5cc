// Runs before the first paint, so that a chosen theme never flashes in the other one's colours, nor large type in small.
try {
  const theme = localStorage.getItem('marft-theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  if (localStorage.getItem('marft-presentation') === 'on') document.documentElement.dataset.presentation = '';
} catch {
  // Storage is refused: the system's theme applies.
}
