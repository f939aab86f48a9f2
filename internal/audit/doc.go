// SPDX-License-Identifier: Apache-2.0

// Package audit splits batches by the modes of their services. The resources of enforced services are
// processed and changed. Those of audited services are processed apart from them, so that the changes can be
// discarded. A batch of one mode, which is the common case, is not split.
package audit
