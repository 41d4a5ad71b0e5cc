// Runs before the first paint, so that a chosen theme never flashes in the other one's colours.
try {
  const theme = localStorage.getItem('marft-theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage is refused: the system's theme applies.
}
