package conformanceconnector

import (
	"maps"
	"strings"
	"sync"
)

// maxLinkRules bounds the rules that are told apart. Packs have a dozen.
const maxLinkRules = 64

// links counts derived links by rule. It is safe for concurrent use.
type links struct {
	mu    sync.Mutex
	rules map[string]int64
}

func newLinks() *links { return &links{rules: map[string]int64{}} }

// add counts a link. The rule's name is telemetry, so that there can be any number.
func (l *links) add(rule string) {
	rule = kept(rule)
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.rules[rule]; !ok {
		if len(l.rules) >= maxLinkRules {
			rule = otherService
		}
		rule = strings.Clone(rule)
	}
	l.rules[rule]++
}

func (l *links) all() map[string]int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.rules)
}
