// Command differential sends random sequences of requests to a real kube-apiserver and to the embedded one, and compares the
// answers: status, reason, message, object, list, watch events. What differs by nature is replaced by symbols first: uids,
// resourceVersions, times, continue tokens, assigned addresses. A sequence that differs is made as short as it can be and
// printed as a script.
//
//	differential -real URL -data DATA_DIR -ours URL [-token TOKEN] [-what sequences|merges|crds|applies|rights|quotas|rules|all] [-seed N] [-count N] [-length N] [-known FILE]
//
// What is asked: sequences of requests about many kinds; merges, an object and strategic merge patches of it; crds, a definition
// of a custom resource with two versions, and requests about objects of it; applies, by several managers, who conflict; rights, of users whose
// roles come and go; quotas, and what they let pass; rules, definitions with rules in CEL, and objects that keep them or do not.
//
// It ends with status 1 if there was a difference that the file of known ones does not name.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

func main() {
	real := flag.String("real", "", "URL of the real server")
	data := flag.String("data", "", "its data directory: admin's certificate and the CA's")
	ours := flag.String("ours", "", "URL of the embedded server")
	seed := flag.Uint64("seed", 1, "seed of the first sequence; the next ones count up")
	token := flag.String("token", "", "the bearer token of the embedded server's administrator")
	what := flag.String("what", "sequences", "what the sequences are: sequences, merges, crds, applies, rights, quotas, rules; all: the last four in turn")
	count := flag.Int("count", 100, "sequences")
	length := flag.Int("length", 0, "requests in each, about (0: 30; of merges, 10 patches; of crds and rules, 25)")
	workers := flag.Int("workers", 0, "sequences at a time (0: 4; of crds and rules, 16)")
	known := flag.String("known", "", "file of known differences: a regular expression for the whole of where they are, a tab, the reason")
	only := flag.String("only", "", "only requests about these resources, comma-separated")
	flag.Parse()
	code, err := run(*real, *data, *ours, *token, *what, *seed, *count, *length, *workers, *known, *only)
	if err != nil {
		fmt.Fprintln(os.Stderr, "differential:", err)
		code = 2
	}
	os.Exit(code)
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
	scanner := bufio.NewScanner(strings.NewReader(string(text)))
	for scanner.Scan() {
		if line := scanner.Text(); line != "" && line[0] != '#' {
			what, _, _ := strings.Cut(line, "\t")
			pattern, err := regexp.Compile(`^(?s:` + what + `)$`)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			out = append(out, &knownDifference{pattern: pattern})
		}
	}
	return out, nil
}

// finding is a sequence that made the servers differ.
type finding struct {
	seed  uint64
	where string // what differs, without what is particular to the sequence
	text  string
	count int
}

func run(real, data, ours, token, what string, seed uint64, count, length, workers int, knownFile, only string) (int, error) {
	known, err := readKnown(knownFile)
	if err != nil {
		return 0, err
	}
	chosen := stylesOf(what)
	if len(chosen) == 0 {
		return 0, fmt.Errorf("-what %s: it is sequences, merges, crds, applies, rights, quotas, rules or all", what)
	}
	if workers == 0 {
		workers = chosen[len(chosen)-1].workers
	}
	realServer, err := newServer("real", real, data)
	if err != nil {
		return 0, err
	}
	ourServer, err := newServer("ours", ours, "")
	if err != nil {
		return 0, err
	}
	ourServer.token = token
	servers := []*server{realServer, ourServer}
	for _, s := range servers {
		if err := s.prepare(); err != nil {
			return 0, fmt.Errorf("%s: %w", s.name, err)
		}
	}
	if err := realServer.silence(); err != nil {
		return 0, fmt.Errorf("real: %w", err)
	}
	begun := time.Now()
	var mu sync.Mutex
	findings := map[string]*finding{}
	requests := 0
	seeds := make(chan uint64)
	var group sync.WaitGroup
	for range workers {
		group.Add(1)
		go func() {
			defer group.Done()
			for s := range seeds {
				style := chosen[s%uint64(len(chosen))]
				length := length
				if length == 0 {
					length = style.length
				}
				sequence := style.generate(rand.New(rand.NewPCG(s, 0)), length, only)
				different := play(servers, style, s, sequence, true)
				mu.Lock()
				requests += len(sequence)
				for _, d := range different {
					if at := slices.IndexFunc(known, func(k *knownDifference) bool { return k.pattern.MatchString(d.where) }); at >= 0 {
						known[at].hits++
						continue
					}
					f := findings[d.where]
					if f == nil {
						f = &finding{seed: s, where: d.where}
						findings[d.where] = f
						mu.Unlock()
						text := shrink(servers, style, s, sequence, d)
						mu.Lock()
						f.text = text
					}
					f.count++
				}
				mu.Unlock()
			}
		}()
	}
	for i := range count {
		seeds <- seed + uint64(i)
	}
	close(seeds)
	group.Wait()
	sorted := make([]*finding, 0, len(findings))
	for _, f := range findings {
		sorted = append(sorted, f)
	}
	slices.SortFunc(sorted, func(a, b *finding) int { return b.count - a.count })
	for _, f := range sorted {
		fmt.Printf("---- %d × (first: seed %d) %s\n%s\n", f.count, f.seed, f.where, f.text)
	}
	for _, k := range known {
		fmt.Printf("known, %d ×: %s\n", k.hits, k.pattern)
	}
	for _, style := range chosen {
		for _, line := range style.tally() {
			fmt.Println(line)
		}
	}
	fmt.Printf("%d sequences, %d requests, %d kinds of differences, %.1f s\n", count, requests, len(findings), time.Since(begun).Seconds())
	if len(findings) > 0 {
		return 1, nil
	}
	return 0, nil
}
