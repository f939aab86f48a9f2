// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"crypto/tls"
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// faulty makes connections that a sink resets or closes, when its answer is so.
type faulty struct {
	net.Listener
	sink *sink
}

func (f faulty) Accept() (net.Conn, error) {
	conn, err := f.Listener.Accept()
	if err != nil {
		return nil, err
	}
	stranger := f.sink.now().stranger
	if stranger {
		f.sink.attempt()
	}
	return &faultyConn{conn, f.sink, stranger}, nil
}

type faultyConn struct {
	net.Conn
	sink     *sink
	stranger bool // from when the certificate was that of another authority
}

func (c *faultyConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	switch a := c.sink.now(); {
	case a.reset && n > 0:
		c.sink.attempt()
		_ = c.Conn.(*net.TCPConn).SetLinger(0)
		_ = c.Close()
		return 0, net.ErrClosed
	case a.stranger && !c.stranger:
		_ = c.Close()
		return 0, io.EOF
	}
	return n, err
}

// secure makes a sink use TLS, and returns the file of the authority to trust.
func (s *sink) secure(t *testing.T) (file string) {
	t.Helper()
	load := func(a *collectortest.Authority) *tls.Certificate {
		certificate, err := tls.LoadX509KeyPair(a.Server(t))
		require.NoError(t, err)
		return &certificate
	}
	authority := collectortest.NewAuthority(t)
	mine, other := load(authority), load(collectortest.NewAuthority(t))
	s.away()
	s.tls = &tls.Config{NextProtos: []string{"h2", "http/1.1"}, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		if s.now().stranger {
			return other, nil
		}
		return mine, nil
	}}
	s.back(t)
	return authority.File
}
