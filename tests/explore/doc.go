// SPDX-License-Identifier: Apache-2.0

// Package explore plays schedules: a seed decides about each crash, fault, answer and pause, and replays them. It has a
// disk in memory, a ledger of what became of each item, and what plays one seed after the other. The clock is that of
// testing/synctest. What stands on disk, network and clock is the product's own code.
//
// Each package whose own state is explored has a TestExplore and, in its documentation, the invariants.
package explore
