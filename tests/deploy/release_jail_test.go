// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// jail runs commands as a container or a hardened service does: below a root directory,
// as its own user, and with nothing to write to but some directories. Whoever may not mount
// runs them where they lie, without these walls.
type jail struct {
	root, user string // user is uid:gid
	env        map[string]string
	writable   []string
	walls      bool
}

func newJail(t *testing.T, root, user string, env map[string]string, writable ...string) jail {
	t.Helper()
	err := exec.CommandContext(t.Context(), "unshare", "--mount", "true").Run()
	if err != nil {
		t.Logf("runs without a root directory of its own: unshare --mount: %v", err)
	}
	return jail{root: root, user: user, env: env, writable: writable, walls: err == nil}
}

// path returns what a file of the root is called by what runs in it.
func (j jail) path(name string) string {
	if j.walls {
		return name
	}
	return filepath.Join(j.root, name)
}

// jailScript mounts in a namespace that ends with the process.
const jailScript = `set -e
root=$1 user=$2 writable=$3; shift 3
mkdir -p "$root/proc"
mount --bind "$root" "$root"
mount --rbind /proc "$root/proc"
for dir in $writable; do mount --bind "$root$dir" "$root$dir"; done
mount -o remount,bind,ro "$root"
exec chroot --userspec="$user" "$root" "$@"`

func (j jail) command(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), j.path(name), args...)
	if j.walls {
		before := []string{"--mount", "sh", "-c", jailScript, "sh", j.root, j.user, strings.Join(j.writable, " "), name}
		cmd = exec.CommandContext(t.Context(), "unshare", append(before, args...)...)
	}
	// For mount and chroot.
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	for key, value := range j.env {
		cmd.Env = append(cmd.Env, key+"="+value)
	}
	return cmd
}

// requireRuns starts a collector below the root, waits until it is healthy, and requires
// that SIGTERM ends it with exit code 0.
func (j jail) requireRuns(t *testing.T, name string, args ...string) {
	t.Helper()
	cmd := j.command(t, name, args...)
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	require.NoError(t, cmd.Start())
	ended := make(chan struct{})
	var exit error // set when ended is closed
	go func() {
		defer close(ended)
		exit = cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // most have ended by themselves
		<-ended
		if t.Failed() {
			t.Logf("log of %s:\n%s", cmd, &log)
		}
	})

	collectortest.Eventually(t, 2*time.Minute, func() (bool, string) {
		select {
		case <-ended:
			t.Fatalf("the collector ended before it was healthy: %v", exit)
		default:
		}
		err := healthOf(t.Context(), j.env["OTELCOL_TC_HEALTH_ENDPOINT"])
		return err == nil, fmt.Sprint(err)
	})
	j.requireWalls(t, cmd.Process.Pid)
	// It is healthy shortly before it listens for signals.
	time.Sleep(time.Second)
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	select {
	case <-ended:
		require.NoError(t, exit, "exit after SIGTERM")
	case <-time.After(2 * time.Minute):
		t.Fatal("the collector did not end within two minutes of SIGTERM")
	}
}

// requireWalls looks at a process from outside: who it is, and that it cannot write.
func (j jail) requireWalls(t *testing.T, pid int) {
	t.Helper()
	if !j.walls {
		return
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(t, err)
	uid, _, _ := strings.Cut(j.user, ":")
	require.Regexp(t, `(?m)^Uid:\t`+uid+`\t`, string(status))
	require.Regexp(t, `(?m)^CapEff:\t0+$`, string(status))
	// Root's own write, through the mounts of the process.
	err = os.WriteFile(fmt.Sprintf("/proc/%d/root/file", pid), nil, 0o600)
	require.ErrorIs(t, err, syscall.EROFS)
}

func healthOf(ctx context.Context, address string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address, nil)
	if err != nil {
		return err
	}
	client := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return errors.New(response.Status)
	}
	return nil
}
