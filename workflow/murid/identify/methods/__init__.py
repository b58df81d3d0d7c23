"""The methods by which animals are named, a module each: to add a method is to add a module.

A method's module is called as the method, and has ``METHOD``, a
:class:`murid.identify.registry.Method`, which is all that is said of it anywhere, its colour and
its words for the report included.
"""
