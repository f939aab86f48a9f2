// SPDX-License-Identifier: Apache-2.0

package logformat

// parseTime parses a date or a number. It returns zero if the text is neither.
func parseTime(text string, mayBeDate bool) Timestamp {
	if mayBeDate {
		var t Timestamp
		if readISO(text, 0, &t) == len(text) && t.valid() {
			return t
		}
	}
	return parseEpoch(text)
}

// parseEpoch parses the time since 1970 in seconds, milli-, micro- or nanoseconds; the
// magnitude decides which. A number below 1e8 is a duration or a counter rather than a time.
func parseEpoch(text string) Timestamp {
	n, end := integer(text, 0)
	if end < 0 || n < 1e8 {
		return Timestamp{}
	}
	fraction, end := fraction(text, end, '.')
	if end != len(text) {
		return Timestamp{}
	}
	perSecond := int64(1)
	for n/perSecond >= 1e11 {
		perSecond *= 1000
	}
	nanoseconds := n%perSecond*(1e9/perSecond) + int64(fraction)/perSecond
	return fromEpoch(n/perSecond, nanoseconds)
}
