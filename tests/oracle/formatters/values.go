package main

import "io"

type Point struct {
	X, Y int
	Name string
}

var Text = "grüß"
var Empty string
var Numbers = []int{1, 2, 3}
var Words = []string{"one", "two"}
var None []int
var Nested = Point{1, 2, "here"}
var Ages map[string]int
var Reader io.Reader
var Anything interface{} = 42
var Array = [3]uint16{7, 8, 9}
var Pointer = &Nested
var Box interface{} = Point{3, 4, "boxed"}
var Call = double
var NoCall func(int) int

func double(x int) int { return 2 * x }

func main() {
	println(Text, Empty, len(Numbers), len(Words), len(None), Nested.Name, len(Ages), Reader == nil, Anything == nil, Array[0], Pointer.X, Box != nil, Call(2), NoCall == nil)
}
