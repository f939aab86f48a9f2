// SPDX-License-Identifier: Apache-2.0

// The address has after its # what is looked at: a section with its filter (#findings?service=x&rule=y),
// the page of a service (#service/NAME or #service=NAME), or a metric (#metric=SERVICE/NAME).

const code = encodeURIComponent;

export const ofService = (service) => `#service/${code(service)}`;
export const ofMetric = (service, metric) => `#metric=${code(service)}/${code(metric)}`;

export function ofSection(section, chosen) {
  const query = new URLSearchParams(chosen).toString();
  return `#${section}${query && `?${query}`}`;
}

// read returns a section and what its filter chooses. A service or a metric come with it.
export function read(hash) {
  const [, service] = hash.match(/^#service[/=](.+)$/) ?? [];
  if (service) return { section: 'service', service: decoded(service), chosen: {} };
  const [, of, metric] = hash.match(/^#metric=([^/]*)\/(.+)$/) ?? [];
  if (metric) return { section: 'series', metric: { service: decoded(of), name: decoded(metric) }, chosen: {} };
  const [section, query] = hash.slice(1).split('?', 2);
  return { section, chosen: Object.fromEntries(new URLSearchParams(query ?? '')) };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch { // written by hand
    return text;
  }
}

// write changes the address without going there. A kept one has a place in the history.
export function write(hash, kept) {
  if (hash !== location.hash) history[kept ? 'pushState' : 'replaceState'](null, '', location.pathname + hash);
}
