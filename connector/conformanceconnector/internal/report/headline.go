// SPDX-License-Identifier: Apache-2.0

package report

import "github.com/otelcol-tc/otelcol-tc/internal/conformance"

// sum adds up counts. It has no share of the last interval.
func sum(a, b conformance.Part) conformance.Part {
	return conformance.Part{
		Checked: a.Checked + b.Checked, Conformant: a.Conformant + b.Conformant, Renamed: a.Renamed + b.Renamed, Outside: a.Outside + b.Outside,
		Share: -1,
	}
}

// headline returns the score of the worst signal. Attributes alone have none: each resource has some, also
// if nothing of its service came.
func headline(scores []conformance.Score, part func(*conformance.Score) conformance.Part) conformance.Headline {
	worst, only := conformance.Headline{Share: -1}, true
	for i := range scores {
		share := part(&scores[i]).Whole()
		if share < 0 {
			continue
		}
		only = only && scores[i].Signal == KindAttribute.Signal()
		if worst.Share < 0 || share < worst.Share {
			worst = conformance.Headline{Signal: scores[i].Signal, Share: share}
		}
	}
	if only {
		return conformance.Headline{Share: -1}
	}
	return worst
}

// headlineOf returns the score of the worst signal over all services, of the items that packs own.
func headlineOf(services []conformance.Service) conformance.Headline {
	all := make([]conformance.Score, Kinds)
	for k := range Kinds {
		all[k].Signal = k.Signal()
		for i := range services {
			for _, s := range services[i].Scores {
				if s.Signal == all[k].Signal {
					all[k].Owned = sum(all[k].Owned, s.Owned)
				}
			}
		}
	}
	return headline(all, func(s *conformance.Score) conformance.Part { return s.Owned })
}
