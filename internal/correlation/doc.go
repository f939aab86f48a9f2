// Package correlation is what the correlation_index extension and the processors
// that use it have in common: what a key is, who its members are, and what is asked
// about them. The rules themselves are in packs (linking.Rule).
package correlation
