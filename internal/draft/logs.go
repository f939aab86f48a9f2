// SPDX-License-Identifier: Apache-2.0

package draft

// logs adds what the report has of logs to what is undecided. Only a person can write a layout.
func (d *draft) logs() {
	for _, s := range d.report.LogSources {
		if s.Service != d.service {
			continue
		}
		if s.NoFormat > 0 {
			d.decide("%d of %d lines of %s have no known format (logs.formats). They look like: %s", s.NoFormat, s.Records, shown(s.Name), shown(s.Shape))
		}
		if without := s.Records - s.WithTrace; without > 0 {
			d.decide("%d of %d log records of %s have no trace. If one of its spans has a key that they have too: links.", without, s.Records, shown(s.Name))
		}
	}
}
