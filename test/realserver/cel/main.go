// Command cel compares the server's interpreter of CEL with that of kube-apiserver: it makes random expressions over random
// objects with a schema, lets both evaluate them, and compares the compiler's errors, types, values, errors of the evaluation,
// and estimates of the cost.
//
//	cel -ours CEL_EVALUATE [-seed N] [-count N] [-known FILE] [-v N]
//	cel -functions          prints the forms of all functions that kube-apiserver declares
//	cel -evaluate           answers expressions, one a line
//
// It ends with status 1 if there was a difference that the file of known ones does not name.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"strings"
)

// Expressions about one object.
const batch = 50

func main() {
	functions := flag.Bool("functions", false, "print the forms of all functions")
	evaluate := flag.Bool("evaluate", false, "answer expressions from standard input, one a line")
	ours := flag.String("ours", "", "the program cel_evaluate")
	seed := flag.Uint64("seed", 1, "seed")
	count := flag.Int("count", 2000, "expressions")
	known := flag.String("known", "", "file of known differences: a regular expression, a tab, the reason")
	show := flag.Int("v", 3, "examples to show of each kind of difference")
	flag.Parse()
	if err := run(*functions, *evaluate, *ours, *seed, *count, *known, *show); err != nil {
		fmt.Fprintln(os.Stderr, "cel:", err)
		os.Exit(1)
	}
}

func run(functions, evaluate bool, ours string, seed uint64, count int, known string, show int) error {
	if functions || evaluate {
		s, err := newSubject(`{"type":"object"}`, `{}`)
		if err != nil {
			return err
		}
		if functions {
			fmt.Println(strings.Join(s.functions(), "\n"))
			return nil
		}
		in := bufio.NewScanner(os.Stdin)
		for in.Scan() {
			b, _ := json.Marshal(s.evaluate(in.Text()))
			fmt.Println(string(b))
		}
		return in.Err()
	}
	peer, err := startPeer(ours)
	if err != nil {
		return err
	}
	defer peer.stop()
	list, err := readKnown(known)
	if err != nil {
		return err
	}
	c := &comparison{known: list, show: show, kinds: map[string]int{}}
	r := rand.New(rand.NewPCG(seed, 0))
	for done := 0; done < count; done += batch {
		schema, object := randomSubject(r)
		s, err := newSubject(schema, object)
		if err != nil {
			return fmt.Errorf("%s: %w", schema, err)
		}
		g := newGenerator(r, s.env, s.decl)
		expressions := make([]string, batch)
		for i := range expressions {
			expressions[i] = g.whole(1 + r.IntN(4))
		}
		answers, err := peer.ask(schema, object, expressions)
		if err != nil {
			return err
		}
		for i, e := range expressions {
			c.compare(s, e, answers[i], object)
		}
	}
	return c.summary()
}

// peer is the running cel_evaluate.
type peer struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
}

func startPeer(program string) (*peer, error) {
	p := &peer{command: exec.Command(program)}
	p.command.Stderr = os.Stderr
	var err error
	if p.in, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewScanner(out)
	p.out.Buffer(nil, 1<<26)
	return p, p.command.Start()
}

func (p *peer) stop() {
	p.in.Close()
	_ = p.command.Wait()
}

func (p *peer) ask(schema, object string, expressions []string) ([]answer, error) {
	go func() {
		fmt.Fprintf(p.in, `{"schema":%s,"object":%s}`+"\n", schema, object)
		for _, e := range expressions {
			b, _ := json.Marshal(map[string]string{"expression": e})
			fmt.Fprintf(p.in, "%s\n", b)
		}
	}()
	answers := make([]answer, len(expressions))
	for i := range answers {
		if !p.out.Scan() {
			return nil, fmt.Errorf("cel_evaluate ended at: %s", expressions[i])
		}
		if err := json.Unmarshal(p.out.Bytes(), &answers[i]); err != nil {
			return nil, err
		}
	}
	return answers, nil
}

type knownDifference struct {
	pattern *regexp.Regexp
	hits    int
}

func readKnown(file string) ([]*knownDifference, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var out []*knownDifference
	for _, line := range strings.Split(string(text), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		what, _, _ := strings.Cut(line, "\t")
		pattern, err := regexp.Compile(`^(?s:` + what + `)$`)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		out = append(out, &knownDifference{pattern: pattern})
	}
	return out, nil
}

type comparison struct {
	known                                    []*knownDifference
	show                                     int
	kinds                                    map[string]int
	total, refused, failed, spent, different int
}

var ownName = strings.NewReplacer("selfType.self", "selfType")

// compare notes what differs between the answers to an expression.
func (c *comparison) compare(s *subject, expression string, ours answer, object string) {
	c.total++
	real := s.evaluate(expression)
	if real.Error != "" {
		c.refused++
	}
	if real.Value == "error" {
		c.failed++
	}
	if strings.HasPrefix(real.Fault, "operation cancelled") || strings.HasPrefix(ours.Fault, "operation cancelled") {
		c.spent++ // the two count different steps
		real.Value, real.Fault, ours.Value, ours.Fault = "", "", "", ""
	}
	for _, d := range []struct{ what, real, ours string }{
		{"compiler", real.Error, ownName.Replace(ours.Error)},
		{"type", real.Type, ownName.Replace(ours.Type)},
		{"value", real.Value, ours.Value + fault(ours)},
		{"fault", real.Fault, ours.Fault},
		{"estimate", real.Estimate, orElse(ours.Estimate, real.Estimate)},
	} {
		if d.real == d.ours || (d.what == "value" && (real.Value == ours.Value || c.unordered(s, expression, ours.Value))) ||
			(d.what == "fault" && real.Value != ours.Value) {
			continue
		}
		if d.what == "value" {
			d.real += fault(real)
		}
		c.note(fmt.Sprintf("%s: %s | ours: %s | %s", d.what, d.real, d.ours, expression), d.what, object)
		return
	}
}

// unordered returns whether the real server has that value at another time: the order of a map's keys is random there.
func (c *comparison) unordered(s *subject, expression, ours string) bool {
	for range 20 {
		if s.evaluate(expression).Value == ours {
			return true
		}
	}
	return false
}

func (c *comparison) note(text, what, object string) {
	for _, k := range c.known {
		if k.pattern.MatchString(text) {
			k.hits++
			return
		}
	}
	c.different++
	if c.kinds[what]++; c.kinds[what] <= c.show {
		fmt.Printf("%s\n   object: %s\n", text, object)
	}
}

func (c *comparison) summary() error {
	fmt.Printf("%d expressions: %d refused by the compiler, %d with an error of the evaluation, %d over budget\n",
		c.total, c.refused, c.failed, c.spent)
	hits := 0
	for _, k := range c.known {
		hits += k.hits
	}
	fmt.Printf("%d known differences, %d others: %v\n", hits, c.different, c.kinds)
	if c.different > 0 {
		return fmt.Errorf("the interpreters differ")
	}
	return nil
}

func orElse(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

// fault returns the error of an evaluation, in brackets.
func fault(a answer) string {
	if a.Fault == "" {
		return ""
	}
	return " (" + a.Fault + ")"
}
