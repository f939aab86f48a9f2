// SPDX-License-Identifier: Apache-2.0

// Package owners remembers who owns a device, such as the pod that has a GPU, and counts by owner what the device
// uses. A [Tracker] gets what one batch says with [Tracker.Observe], and returns the points to send. The package may
// not know pdata's containers.
//
// Each collection holds until the next one: an owner has a device from the first point that names it to the
// first collection of the device that does not, and a gauge keeps its value until its next point. The increase of a
// counter belongs to those who owned the device at its last point.
//
//   - At most [maxGap] of an interval counts. The increase of a longer one counts in the same proportion.
//   - Several owners at a time have equal shares of increases and integrals, and each has the whole time.
//   - What is measured of several devices together, such as the energy of a card with instances, is shared by the
//     owners of all of them. Devices that nobody owns have no share.
//   - Points that are not newer than the last one change nothing. So a batch that is sent again counts once.
//   - A device that has only stale markers is gone, and nobody's, if others have values. If none has, the collection
//     has failed: the info series end, and the owners go on with the next points.
package owners
