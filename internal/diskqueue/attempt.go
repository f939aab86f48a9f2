// SPDX-License-Identifier: Apache-2.0

package diskqueue

import "fmt"

// Begin notes on disk that an attempt at the head begins. It returns how often the process died between
// Begin and End with this head. After an error a death in this attempt may not be counted.
func (q *Queue) Begin() (deaths int, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return 0, q.closedError()
	}
	if len(q.segments) == 0 {
		return 0, nil
	}
	if !q.attempt || q.unsaved {
		if err := q.saveDeaths(q.head.deaths + 1); err != nil {
			return int(q.head.deaths), err
		}
		q.attempt = true
	}
	return int(q.head.deaths), nil
}

// End notes on disk that the attempt has ended. Remove and Close end it too.
func (q *Queue) End() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return q.closedError()
	}
	return q.end()
}

func (q *Queue) end() error {
	if !q.attempt && !q.unsaved {
		return nil
	}
	err := q.saveDeaths(q.head.deaths)
	q.attempt = q.attempt && err != nil
	return err
}

func (q *Queue) saveDeaths(deaths uint32) error {
	if err := q.save(deaths); err != nil {
		return fmt.Errorf("note an attempt in queue %s: %w", q.settings.Directory, err)
	}
	return nil
}
