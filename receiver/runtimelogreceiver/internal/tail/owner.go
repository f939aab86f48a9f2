// SPDX-License-Identifier: Apache-2.0

package tail

// owner returns whose a file is.
func (t *Tailer) owner(f *file) string {
	if f.owner == nil {
		owner := t.Owner(f.path)
		f.owner = &owner
	}
	return *f.owner
}

// reused reports whether a file that has the inode of a followed file is another owner's. While a file is open, no other
// file can have its inode.
func (t *Tailer) reused(f *file, path string) bool {
	return f.descriptor == nil && f.path != path && t.owner(f) != t.Owner(path)
}

// exceedsShare reports whether the owner of a new file has as many files as are free for all others, so that a few
// owners with many files do not take the room of the others.
func (t *Tailer) exceedsShare(path string) bool {
	free := maxFiles - len(t.files)
	if len(t.files) < free {
		return false // nearly always: no path has to be matched
	}
	owner := t.Owner(path)
	if owner == "" {
		return false
	}
	if t.sharesAt != t.polls {
		t.sharesAt, t.shares = t.polls, map[string]int{}
		for f := range t.files {
			t.shares[t.owner(f)]++
		}
	}
	return t.shares[owner] >= free
}
