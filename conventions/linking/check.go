// SPDX-License-Identifier: Apache-2.0

package linking

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Check reports faults of a rule that the schema of packs cannot express. The error begins with the key.
func (r *Rule) Check() error {
	switch {
	case len(r.Stages) > 0 && (r.From != nil || r.To != nil):
		return fmt.Errorf("stages: must replace from and to (got both in %q)", r.Name)
	case len(r.Stages) > 0 && r.Topology != TopologyChain:
		return fmt.Errorf("topology: must be chain where a rule has stages (got %q)", r.Topology)
	case len(r.Stages) == 0 && r.From == nil:
		return fmt.Errorf("from: must be set, or stages in its place (got neither in %q)", r.Name)
	case len(r.Stages) == 0 && r.To == nil && len(r.From.Logs) > 0:
		return fmt.Errorf("to: must be set where from has logs, since only its spans have the key (got none in %q)", r.Name)
	case len(r.Stages) == 0 && r.To == nil && r.Hold > 0:
		return fmt.Errorf("hold: must not be set without to, since nothing is linked (got %s)", r.Hold)
	case r.Window > 0 && r.Hold >= r.Window:
		return fmt.Errorf("hold: must be shorter than the window, %s (got %s)", r.Window, r.Hold)
	case r.SameProcess && (r.To != nil || len(r.Stages) > 0 || r.From != nil && len(r.From.Logs) > 0):
		return fmt.Errorf("same_process: must be in a rule for logs alone, with from and no stage after it (got %q)", r.Name)
	case len(r.Split) > 0 && !r.SameProcess:
		return fmt.Errorf("split: must be in a rule with same_process (got %q)", r.Name)
	case (r.Threads != nil || len(r.Roles) > 0) && !r.SameProcess:
		return fmt.Errorf("threads: must be in a rule with same_process, as roles must (got %q)", r.Name)
	case len(r.Stages) == 0 && r.To == nil && len(r.Logs) == 0:
		return fmt.Errorf("to: must be set, or logs that use the key (got neither in %q)", r.Name)
	}
	if err := r.From.check("from", r, true); err != nil {
		return err
	}
	if err := r.To.check("to", r, false); err != nil {
		return err
	}
	for i := range r.Stages {
		if err := r.Stages[i].check("stages."+strconv.Itoa(i), r, false); err != nil {
			return err
		}
	}
	if r.Key != nil {
		if err := r.Key.check("key"); err != nil {
			return err
		}
	}
	for i, log := range r.Logs {
		if err := log.check("logs." + strconv.Itoa(i)); err != nil {
			return err
		}
	}
	return nil
}

func (s *Stage) check(setting string, rule *Rule, first bool) error {
	switch {
	case s == nil:
		return nil
	case len(s.Logs) > 0 && !first:
		return fmt.Errorf("%s.logs: must be in from: a log that comes later cannot carry a link (got %d)", setting, len(s.Logs))
	case len(s.Logs) > 0 && (len(s.SpanName) > 0 || len(s.Scope) > 0 || s.Kind != "" || len(s.Attributes) > 0 || s.Key != nil):
		return fmt.Errorf("%s.logs: must be set alone or with service: the other settings match spans (got %q)", setting, rule.Name)
	case len(s.Logs) > 0 && rule.Topology == TopologyChain:
		return fmt.Errorf("%s.logs: must not be in a chain (got %q)", setting, rule.Name)
	case len(s.Logs) == 0 && s.Key == nil && rule.Key == nil:
		return fmt.Errorf("%s.key: must be set where the rule has none (got %q)", setting, rule.Name)
	}
	for i, log := range s.Logs {
		if log.IDs != "" {
			return fmt.Errorf("%s.logs.%d.ids: must be in the logs of the rule: these have ids (got %q)", setting, i, log.IDs)
		}
		if log.Normalise != nil {
			return fmt.Errorf("%s.logs.%d.normalise: must be in the logs of the rule (got it in %q)", setting, i, rule.Name)
		}
		if err := log.check(setting + ".logs." + strconv.Itoa(i)); err != nil {
			return err
		}
	}
	if s.Key != nil {
		return s.Key.check(setting + ".key")
	}
	return nil
}

func (k *Key) check(setting string) error {
	if given := count(k.SpanAttribute != "", k.ResourceAttribute != "", k.EventAttribute != "", len(k.All) > 0); given != 1 {
		return fmt.Errorf("%s: must have one of span_attribute, resource_attribute, event_attribute and all (got %d)", setting, given)
	}
	if n := k.Normalise; len(k.All) > 0 && (len(n.Prefixes) > 0 || len(n.NumberedSuffixes) > 0 || n.RandomSuffix > 0 || n.Integer) {
		return fmt.Errorf("%s.normalise: must be in the parts of all (got it beside them)", setting)
	}
	for i, part := range k.All {
		if given := count(part.SpanAttribute != "", part.ResourceAttribute != ""); given != 1 {
			return fmt.Errorf("%s.all.%d: must have one of span_attribute and resource_attribute (got %d)", setting, i, given)
		}
	}
	return nil
}

func count(all ...bool) (n int) {
	for _, is := range all {
		if is {
			n++
		}
	}
	return n
}

func (l LogKey) check(setting string) error {
	if given := count(l.Attribute != "", l.Body != "", len(l.Tokens) > 0); given != 1 {
		return fmt.Errorf("%s: must have one of attribute, body and tokens (got %d)", setting, given)
	}
	if len(l.After) > 0 && len(l.Tokens) == 0 {
		return fmt.Errorf("%s.after: must be with tokens (got it with %q)", setting, cmp.Or(l.Body, l.Attribute))
	}
	if l.Body == "" {
		return nil
	}
	if strings.Count(l.Body, keyPlaceholder)+strings.Count(l.Body, keysPlaceholder) != 1 || l.Body == keyPlaceholder {
		return fmt.Errorf("%s.body: must be text with one %s or %s in it (got %q)", setting, keyPlaceholder, keysPlaceholder, l.Body)
	}
	if before, after, several := l.BodyAround(); several && (before == "" || after == "") {
		return fmt.Errorf("%s.body: must have text before and after %s (got %q)", setting, keysPlaceholder, l.Body)
	}
	return nil
}
