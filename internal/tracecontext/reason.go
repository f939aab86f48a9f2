// SPDX-License-Identifier: Apache-2.0

package tracecontext

import "strings"

// Reason is why a value is not an id.
type Reason uint8

// The reasons. Accepted means that the value is an id.
const (
	Accepted    Reason = iota
	Placeholder        // written where there is no id: 0, -, null
	Zero               // an id of zeros
	Length             // too many or too few digits or parts
	NotHex
	NotDecimal
	Version // the traceparent version ff, which W3C Trace Context forbids
	ReasonCount
)

func (r Reason) String() string {
	return [ReasonCount]string{"accepted", "placeholder", "zero", "length", "not_hex", "not_decimal", "version"}[r]
}

// zeroOr returns Zero for an id of zeros, else Accepted.
func zeroOr(n uint64) Reason {
	if n == 0 {
		return Zero
	}
	return Accepted
}

// lengthReason returns why a text whose length is not an id's is rejected.
func lengthReason(text string) Reason {
	if IsPlaceholder(text) {
		return Placeholder
	}
	return Length
}

// IsPlaceholder reports whether a text is what loggers write where there is no id.
func IsPlaceholder(text string) bool {
	if len(text) > len("undefined") {
		return false
	}
	text = strings.TrimSpace(text)
	for _, word := range [...]string{"", "0", "-", "null", "none", "nil", "<nil>", "n/a", "unknown", "undefined"} {
		if strings.EqualFold(text, word) {
			return true
		}
	}
	return false
}
