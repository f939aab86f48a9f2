package boltcheck

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"go.etcd.io/bbolt"
)

const (
	elementSize  = 16 // of branches and of leaves
	bucketHeader = 16
	bucketFlag   = 1
)

// bounds are those of the keys below a branch. Nil does not bound them.
type bounds struct {
	first []byte // which the branch names the page by: bbolt finds its place in the branch by it
	to    []byte // the first that is too large
}

// order checks the keys of a page as they come.
type order struct {
	bounds
	last  []byte // the key before, or the largest below the branch before
	begun bool
}

func (o *order) next(key []byte) error {
	switch {
	case !o.begun && o.first != nil && !bytes.Equal(key, o.first):
		return fmt.Errorf("key %q is first, and should be %q", key, o.first)
	case o.begun && bytes.Compare(key, o.last) <= 0:
		return fmt.Errorf("key %q is not after the one before it", key)
	case o.to != nil && bytes.Compare(key, o.to) >= 0:
		return fmt.Errorf("key %q is not before the one after it", key)
	}
	o.last, o.begun = key, true
	return nil
}

// tree checks a bucket's page and those below it, and returns the largest key in them. The
// root bucket has nothing but buckets.
func (c *check) tree(id uint64, within bounds, root bool) (last []byte, err error) {
	p, err := c.readPage(id)
	if err != nil {
		return nil, err
	}
	switch p.kind {
	case branchPage:
		return c.branch(p, within, root)
	case leafPage:
		return c.leaf(p, within, root)
	default:
		return nil, fmt.Errorf("%s: is of kind %#x, which no tree has", p.name, p.kind)
	}
}

func (c *check) branch(p *page, within bounds, root bool) (last []byte, err error) {
	if p.count == 0 {
		return nil, fmt.Errorf("%s: is a branch without elements", p.name)
	}
	elements, err := p.elements()
	if err != nil {
		return nil, err
	}
	keys := order{bounds: within}
	for i := range p.count {
		key, err := p.branchKey(elements, i)
		if err != nil {
			return nil, err
		}
		if err := keys.next(key); err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		below := bounds{first: key, to: within.to}
		if i+1 < p.count {
			if below.to, err = p.branchKey(elements, i+1); err != nil {
				return nil, err
			}
		}
		child := binary.NativeEndian.Uint64(elements[i*elementSize+8:])
		if keys.last, err = c.tree(child, below, root); err != nil {
			return nil, err
		}
	}
	return keys.last, nil
}

func (c *check) leaf(p *page, within bounds, root bool) (last []byte, err error) {
	if p.count == 0 && within.first != nil {
		return nil, fmt.Errorf("%s: is below a branch and empty", p.name)
	}
	elements, err := p.elements()
	if err != nil {
		return nil, err
	}
	keys := order{bounds: within}
	for i := range p.count {
		element := elements[i*elementSize:]
		flags, size := binary.NativeEndian.Uint32(element), uint64(binary.NativeEndian.Uint32(element[12:]))
		at, key, err := p.key(i, element[4:])
		if err != nil {
			return nil, err
		}
		at += uint64(len(key))
		if err := keys.next(key); err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		if err := p.has(at, size); err != nil {
			return nil, err
		}
		switch {
		case flags == bucketFlag:
			if err := c.bucket(p, at, size); err != nil {
				return nil, err
			}
		case root || flags != 0:
			return nil, fmt.Errorf("%s: element %d has the flags %#x", p.name, i, flags)
		}
	}
	return keys.last, nil
}

// bucket checks a value that is a bucket: it names its page, or is followed by it.
func (c *check) bucket(p *page, at, size uint64) error {
	header, err := p.bytes(at, bucketHeader)
	if err != nil {
		return err
	}
	if size < bucketHeader {
		return fmt.Errorf("%s: has a bucket of %d bytes", p.name, size)
	}
	if root := binary.NativeEndian.Uint64(header); root != 0 {
		_, err = c.tree(root, bounds{}, false)
		return err
	}
	if size < bucketHeader+pageHeaderSize || size > c.meta.pageSize {
		return fmt.Errorf("%s: has a bucket of %d bytes", p.name, size)
	}
	inside, err := p.bytes(at+bucketHeader, size-bucketHeader)
	if err != nil {
		return err
	}
	inline := newPage(p.name+", inline", inside, uint64(len(inside)))
	// One that says which page it is would be freed as that page.
	if id := binary.NativeEndian.Uint64(inside); inline.kind != leafPage || id != 0 {
		return fmt.Errorf("%s: is of kind %#x and says that it is page %d", inline.name, inline.kind, id)
	}
	_, err = c.leaf(inline, bounds{}, false)
	return err
}

func (p *page) elements() ([]byte, error) {
	return p.bytes(pageHeaderSize, uint64(p.count)*elementSize)
}

func (p *page) branchKey(elements []byte, i int) ([]byte, error) {
	_, key, err := p.key(i, elements[i*elementSize:])
	return key, err
}

// key returns the key of an element and where it is, by the two numbers that say so: the
// distance from the element, and the size.
func (p *page) key(i int, numbers []byte) (at uint64, key []byte, err error) {
	at = uint64(pageHeaderSize+i*elementSize) + uint64(binary.NativeEndian.Uint32(numbers))
	size := uint64(binary.NativeEndian.Uint32(numbers[4:]))
	if size == 0 || size > bbolt.MaxKeySize {
		return 0, nil, fmt.Errorf("%s: element %d has a key of %d bytes", p.name, i, size)
	}
	key, err = p.bytes(at, size)
	return at, key, err
}
