// SPDX-License-Identifier: Apache-2.0

// Package epoch has the time that release files bear, so that the same input makes the
// same files: $SOURCE_DATE_EPOCH, in seconds, as reproducible builds have it.
package epoch

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

const variable = "SOURCE_DATE_EPOCH"

// Time returns the time, 1970 when the variable is not set.
func Time() (time.Time, error) {
	value := os.Getenv(variable)
	if value == "" {
		return time.Unix(0, 0).UTC(), nil
	}
	seconds, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("%s must be a number of seconds (got %q)", variable, value)
	}
	return time.Unix(seconds, 0).UTC(), nil
}
