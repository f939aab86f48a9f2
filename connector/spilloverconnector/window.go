// SPDX-License-Identifier: Apache-2.0

package spilloverconnector

// forgetAfter is how many parts are accepted until a size that was too large is tried again.
const forgetAfter = 64

// window is how large the parts are that the queue is sent in. As with TCP, it is halved when one is too large, and
// grows with those that are accepted, up to what was too large before.
type window struct {
	most     int // what is sent at once while nothing is too large
	size     int // what is sent at once now
	tooLarge int // the smallest size that was too large, or more than most
	accepted int // parts since then
}

func newWindow(most int) window { return window{most: most, size: most, tooLarge: most + 1} }

// narrow reports whether the next component does not take all sizes.
func (w *window) narrow() bool { return w.size < w.most }

// cuts reports whether a part of a size is sent in several ones. One that is hardly larger is not.
func (w *window) cuts(size int) bool { return size > w.size+w.size/4 || size >= w.tooLarge }

// refuse notes that a size was too large.
func (w *window) refuse(size int) {
	w.size = min(w.size, size/2)
	w.tooLarge = min(w.tooLarge, size)
	w.accepted = 0
}

// accept notes that a part of a size was accepted.
func (w *window) accept(size int) {
	if w.accepted++; size >= w.tooLarge || w.accepted >= forgetAfter {
		w.tooLarge, w.accepted = w.most+1, 0
	}
	grown := min(2*size, w.most)
	if grown >= w.tooLarge {
		grown = (size + w.tooLarge) / 2
		if grown-size < size/16 {
			grown = size
		}
	}
	w.size = max(w.size, grown)
}
