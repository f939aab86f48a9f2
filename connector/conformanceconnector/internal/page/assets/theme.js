// SPDX-License-Identifier: Apache-2.0

// Runs before anything is drawn, so that a chosen theme does not flash.
try {
  const chosen = localStorage.getItem('otelcol-tc-theme');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
} catch { /* storage may be forbidden */ }
