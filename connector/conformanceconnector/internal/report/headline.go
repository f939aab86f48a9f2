// SPDX-License-Identifier: Apache-2.0

package report

// sum adds up counts. It has no share of the last interval.
func sum(a, b Part) Part {
	return Part{
		Checked: a.Checked + b.Checked, Conformant: a.Conformant + b.Conformant, Renamed: a.Renamed + b.Renamed, Outside: a.Outside + b.Outside,
		Share: -1,
	}
}

// headline returns the score of the worst signal. Attributes alone have none: each resource has some, also
// if nothing of its service came.
func headline(scores []Score, part func(*Score) Part) Headline {
	worst, only := Headline{Share: -1}, true
	for i := range scores {
		share := part(&scores[i]).Whole()
		if share < 0 {
			continue
		}
		only = only && scores[i].Signal == KindAttribute.Signal()
		if worst.Share < 0 || share < worst.Share {
			worst = Headline{Signal: scores[i].Signal, Share: share}
		}
	}
	if only {
		return Headline{Share: -1}
	}
	return worst
}

// headlineOf returns the score of the worst signal over all services, of the items that packs own.
func headlineOf(services []Service) Headline {
	all := make([]Score, Kinds)
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
	return headline(all, func(s *Score) Part { return s.Owned })
}
