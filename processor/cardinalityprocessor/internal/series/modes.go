// SPDX-License-Identifier: Apache-2.0

package series

import (
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// SetModes records which services are audited.
func (s *State) SetModes(audited func(service string) bool) {
	for i := range s.Services {
		s.Services[i].Audited = audited(s.Services[i].Name)
	}
}

// KeepModes removes the services whose mode is another one now, and returns how many those are. What an audited
// service's series counted was never sent, so they start anew. Nothing that was counted before may count again:
// new series begin now, and no look proves that a stream is new.
func (s *State) KeepModes(now time.Time, audited func(service string) bool) (removed int) {
	changed := map[[2]uint64]bool{}
	for _, of := range s.Services {
		if of.Audited != audited(of.Name) {
			changed[of.ID] = true
		}
	}
	if len(changed) == 0 {
		return 0
	}
	s.Services = slices.DeleteFunc(s.Services, func(of serviceState) bool { return changed[of.ID] })
	s.Families = slices.DeleteFunc(s.Families, func(m metricState) bool { return changed[m.Service] })
	s.Since, s.Looks = pcommon.NewTimestampFromTime(now), nil
	return len(changed)
}
