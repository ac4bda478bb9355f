package integration

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// observer is a running observe.py. It answers one question at a time.
type observer struct {
	in  io.Writer
	out *bufio.Reader
}

// question is what an observer is asked.
type question struct {
	Account  map[string]string `json:"account"` // as boto3's clients spell it
	Services []string          `json:"services"`
	Table    string            `json:"table"`
}

// question asks for all that the world's services hold.
func (w world) question(table string) question {
	account := map[string]string{
		"endpoint_url": w.endpoint, "region_name": w.region,
		"aws_access_key_id": w.creds.AccessKeyID, "aws_secret_access_key": w.creds.SecretAccessKey,
	}
	if w.creds.SessionToken != "" {
		account["aws_session_token"] = w.creds.SessionToken
	}
	return question{Account: account, Services: w.services, Table: table}
}

// ask has some observer answer: an idle one, or a new one. One that fails is not
// asked again.
func ask(q question) ([]byte, error) {
	o, err := idleObserver()
	if err != nil {
		return nil, fmt.Errorf("starting the observer: %w", err)
	}
	if err := json.NewEncoder(o.in).Encode(q); err != nil {
		return nil, err
	}
	answer, err := o.out.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	suite.mu.Lock()
	defer suite.mu.Unlock()
	suite.idle = append(suite.idle, o)
	return answer, nil
}

func idleObserver() (*observer, error) {
	suite.mu.Lock()
	if n := len(suite.idle); n > 0 {
		o := suite.idle[n-1]
		suite.idle = suite.idle[:n-1]
		suite.mu.Unlock()
		return o, nil
	}
	suite.mu.Unlock()
	cmd := exec.Command(python(), filepath.Join("observer", "observe.py"))
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + suite.dir, "AWS_EC2_METADATA_DISABLED=true"}
	cmd.Stderr = os.Stderr
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		return nil, err
	}
	atEnd(func() {
		in.Close() // it ends when its input does
		if err := cmd.Wait(); err != nil {
			fmt.Fprintln(os.Stderr, "the observer ended with", err)
		}
	})
	return &observer{in: in, out: bufio.NewReader(out)}, nil
}
