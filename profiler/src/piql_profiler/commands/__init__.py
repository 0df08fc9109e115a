"""The commands that this package adds to `piql`: from arguments to an exit code.

profile, validate            one file each
experiment                   the same
predict, capacity            the same; what they print is in `predict_output` and `capacity_output`
load_test                    the same; its lines of progress are in `load_test_output`
given                        what several of them are given as text
"""
