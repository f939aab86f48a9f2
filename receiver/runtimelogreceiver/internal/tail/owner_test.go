// SPDX-License-Identifier: Apache-2.0

package tail

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Owners who each try to have as many files as they can get leave room for the next one.
func TestShares(t *testing.T) {
	tailer := New(Config{Owner: func(path string) string { return strings.TrimPrefix(filepath.Dir(path), ".") }})
	for owner := range 6 {
		tailer.polls++
		got := 0
		for n := range maxFiles {
			path := fmt.Sprintf("/%d/%d.log", owner, n)
			if n%64 == 0 {
				tailer.polls++ // the shares are counted anew
			}
			if tailer.exceedsShare(path) {
				break
			}
			f := &file{}
			f.setPath(path)
			tailer.follow(f)
			got++
		}
		assert.InDelta(t, maxFiles>>(owner+1), got, 128)
	}
	assert.False(t, tailer.exceedsShare("/last/0.log"))
	assert.False(t, tailer.exceedsShare("0.log"), "files of nobody have no share")
}
