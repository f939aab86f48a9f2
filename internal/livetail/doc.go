// SPDX-License-Identifier: Apache-2.0

// Package livetail keeps, for the few services that a person watches, the last items that components have seen:
// each as it came in and as it went out. It knows no component and no container of telemetry. While nobody
// watches, a component pays one atomic load a batch.
//
// Everything is bounded: the services that are watched, how long, the items a second that a component gives,
// the items that are kept, and the text of each.
package livetail
