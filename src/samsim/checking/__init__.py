"""Checks before anything is run or shared: can the engines be asked, and does a store repeat a text?"""
