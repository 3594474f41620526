package main

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync/atomic"
	"time"
)

// A style is a way to ask.
type style struct {
	length   int
	workers  int
	patience time.Duration // of making a sequence shorter
	generate func(r *rand.Rand, length int, only string) []request
	// Without the success of its first request a sequence is about nothing.
	needsFirst bool
	// Takes what need not be equal out of an answer. Null: nothing.
	normal func(r request, whole map[string]any)
	// Warnings are compared, too.
	warns bool
	// And whose the fields are.
	owners bool
	// A difference is seen again in every later answer, so that a sequence ends with it.
	ends bool
	// Says whether answers that differ are equal all the same. Null: none are.
	lenient func(sessions []*session, r request, answers []answer, symbolic []any) bool
	asked   atomic.Int64 // equal answers
	done    atomic.Int64 // those of them that are successes
	patched atomic.Int64 // strategic merge patches among them
	refused atomic.Int64 // those that were excused: the real server refuses a value which the embedded one does not look at
}

// A real server lets the first objects of a definition wait for two seconds: many sequences of these wait together.
var styles = map[string]*style{
	"sequences": {length: 30, workers: 4, patience: time.Minute, generate: func(r *rand.Rand, length int, only string) []request {
		return generate(r, length, resourcesNamed(only))
	}},
	"merges":  {length: 10, workers: 4, patience: 20 * time.Second, needsFirst: true, generate: generateMerges, lenient: lenientMerge},
	"crds":    {length: 25, workers: 16, patience: 5 * time.Second, needsFirst: true, warns: true, generate: generateDefinition, normal: normalDefinition, lenient: lenientDefinition},
	"applies": {length: 30, workers: 4, patience: 20 * time.Second, owners: true, ends: true, generate: generateApplies, normal: normalApply},
	"rights":  {length: 40, workers: 8, patience: 30 * time.Second, ends: true, generate: generateRights, normal: normalRights},
	"quotas":  {length: 30, workers: 4, patience: 30 * time.Second, generate: generateQuotas},
	"rules":   {length: 25, workers: 16, patience: 5 * time.Second, needsFirst: true, warns: true, generate: generateRules, normal: normalDefinition, lenient: lenientRules},
}

// stylesOf are those that -what names; sequences take turns in several.
func stylesOf(what string) []*style {
	if what == "all" {
		return []*style{styles["applies"], styles["rights"], styles["quotas"], styles["rules"]}
	}
	if one := styles[what]; one != nil {
		return []*style{one}
	}
	return nil
}

func (s *style) normalize(r request, whole map[string]any, got answer) {
	if s.warns && len(got.warnings) > 0 {
		whole["warnings"] = got.warnings
	}
	if s.normal != nil {
		s.normal(r, whole)
	}
}

func (s *style) excuse(sessions []*session, r request, answers []answer, symbolic []any) bool {
	return s.lenient != nil && s.lenient(sessions, r, answers, symbolic)
}

func (s *style) count(r request, answers []answer) {
	s.asked.Add(1)
	if r.contentType == strategicPatch {
		s.patched.Add(1)
	}
	switch {
	case answers[0].code < 300:
		s.done.Add(1)
	case answers[1].code < 300:
		s.refused.Add(1)
	}
}

func (s *style) tally() []string {
	return []string{fmt.Sprintf("%d answers are equal, %d of them successes, %d to strategic merge patches; %d are refused by the real server alone, which looks at more values",
		s.asked.Load(), s.done.Load(), s.patched.Load(), s.refused.Load())}
}

// outcome is what matters of an error: its code, its reason, and what it is about.
func outcome(got answer) any {
	body, _ := got.body.(map[string]any)
	details, _ := body["details"].(map[string]any)
	reason, _ := body["reason"].(string)
	return []any{got.code, reason, details["kind"], details["name"], details["group"]}
}

// lenientMerge takes errors for equal that have the same code and reason: what they say of a patch are Go's maps and structs.
// A real server looks at values that the embedded one takes. Whether the merge is the same is seen then when the embedded
// server's result is sent to the real one: it refuses that, too, for the same.
func lenientMerge(sessions []*session, r request, answers []answer, symbolic []any) bool {
	real, ours := answers[0], answers[1]
	if real.code >= 400 && ours.code >= 400 {
		if reflect.DeepEqual(outcome(real), outcome(ours)) {
			return true
		}
		// Of two errors in a patch a real server finds either first, for its maps have no order.
		for range 12 {
			again, err := sessions[0].do(r)
			if err == nil && reflect.DeepEqual(outcome(again), outcome(ours)) {
				return true
			}
		}
		return false
	}
	if real.code != 422 || ours.code >= 300 {
		return false
	}
	if r.method == "POST" {
		return true
	}
	made, _ := ours.body.(map[string]any)
	metadata, _ := made["metadata"].(map[string]any)
	for _, name := range []string{"uid", "resourceVersion", "creationTimestamp", "managedFields", "generation"} {
		delete(metadata, name)
	}
	if spec, is := made["spec"].(map[string]any); is { // the addresses of Services differ
		delete(spec, "clusterIP")
		delete(spec, "clusterIPs")
	}
	path, _, _ := strings.Cut(r.path, "?")
	put := request{id: -1, method: "PUT", path: path + "?dryRun=All", contentType: jsonType, body: strings.ReplaceAll(text(made), sessions[1].namespace, sessions[0].namespace)}
	again, err := sessions[0].do(put)
	return err == nil && again.code == 422 && reflect.DeepEqual(causesOf(again), causesOf(real))
}

func causesOf(got answer) []any {
	body, _ := got.body.(map[string]any)
	details, _ := body["details"].(map[string]any)
	causes, _ := details["causes"].([]any)
	return causes
}
