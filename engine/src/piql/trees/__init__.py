"""The base of all trees of the compiler: values that never change, so that results can be shared and cached.

node       frozen dataclasses that are walked and transformed      caches             results of earlier compilations
sharing    long lists and maps whose changed copies share parts    cached_property    one value, kept in its object
giving_up  work that nobody waits for any more ends early
traced_numbers   numbers that write down what is computed of them      templates    values with holes for these
"""
